/** Where OpenAI is, as the page's own server says it in a file beside the page. */
import { PAGE_CONFIG_FILE, type PageConfig } from '../../contract/page-config.ts';

/** A server that takes longer is not going to take a call either. */
const TIMEOUT_MS = 10_000;

/** @returns `undefined` where the file cannot be had or does not hold what it should; the console says which and why */
export async function readPageConfig(fetch = globalThis.fetch): Promise<PageConfig | undefined> {
  try {
    const response = await fetch(PAGE_CONFIG_FILE, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) {
      throw new Error(`status ${response.status}`);
    }
    return pageConfigOf(await response.text());
  } catch (error) {
    console.error(`${PAGE_CONFIG_FILE} should hold {"openaiBaseUrl": "https://…"}:`, error);
    return undefined;
  }
}

/** @throws if the text is not a configuration */
export function pageConfigOf(text: string): PageConfig {
  const { openaiBaseUrl } = JSON.parse(text);
  // `new URL(null)` complains in words that name no field, and `javascript:` is a URL too.
  if (typeof openaiBaseUrl !== 'string' || !/^https?:$/.test(new URL(openaiBaseUrl).protocol)) {
    throw new TypeError(`openaiBaseUrl is ${openaiBaseUrl}`);
  }
  return { openaiBaseUrl };
}
