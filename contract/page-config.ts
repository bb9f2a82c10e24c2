/**
 * The page's settings, in a small JSON file beside it. The deployed edge and its local stand-in both serve the file, so that
 * the page's other files are the same everywhere.
 */

/** Beside index.html. */
export const PAGE_CONFIG_FILE = 'config.json';

export interface PageConfig {
  /** The value of `OPENAI_BASE_URL`, such as `https://api.openai.com/v1`. */
  readonly openaiBaseUrl: string;
}
