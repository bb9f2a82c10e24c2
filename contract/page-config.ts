/**
 * What the page is told of where it stands: a small JSON file beside it. The deployed edge and its stand-in on a laptop
 * both serve it, so that the page's files are the same everywhere.
 */

/** Beside index.html. */
export const PAGE_CONFIG_FILE = 'config.json';

export interface PageConfig {
  /** As `OPENAI_BASE_URL` holds it: `https://api.openai.com/v1`. */
  readonly openaiBaseUrl: string;
}
