/** Reads OpenAI's address from a file that the page's own server provides next to the page. */
import { PAGE_CONFIG_FILE, type PageConfig } from '../../contract/page-config.ts';

/** If the server takes longer than this, a call would not succeed either. */
const TIMEOUT_MS = 10_000;

/** @returns `undefined` if the file cannot be loaded or is invalid; the reason is logged to the console */
export async function readPageConfig(fetch = globalThis.fetch): Promise<PageConfig | undefined> {
  try {
    const response = await fetch(PAGE_CONFIG_FILE, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) {
      throw new Error(`status ${response.status}`);
    }
    return pageConfigOf(await response.text());
  } catch (error) {
    console.error(`Invalid or missing ${PAGE_CONFIG_FILE}. Expected {"openaiBaseUrl": "https://…"}:`, error);
    return undefined;
  }
}

/** @throws if the text is not a valid configuration */
export function pageConfigOf(text: string): PageConfig {
  const { openaiBaseUrl } = JSON.parse(text);
  // Checked here because the error of `new URL(null)` names no field, and because `javascript:` is a URL too.
  if (typeof openaiBaseUrl !== 'string' || !/^https?:$/.test(new URL(openaiBaseUrl).protocol)) {
    throw new TypeError(`openaiBaseUrl is ${openaiBaseUrl}, which is not an http or https URL`);
  }
  return { openaiBaseUrl };
}
