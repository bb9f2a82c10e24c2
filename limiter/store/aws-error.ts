/** What can be read off whatever the SDK throws, and may be shown in a log. */

/**
 * Did AWS say whole sentences, and in them that it is the request's fault? Not so where an answer broke off, or is no
 * answer of AWS's: its status says nothing then, be it 200 or 400.
 */
export function isRefusal(error: unknown): boolean {
  return (error as { readonly $fault?: unknown } | null | undefined)?.$fault === 'client';
}

/** A parser's complaint quotes what it was reading, which may be a secret: it is left out. */
export function wordsOf(error: unknown): { readonly name: string; readonly message: string } {
  if (!(error instanceof Error)) {
    return { name: 'Unknown', message: String(error) };
  }
  const { name, message } = error;
  return { name, message: error instanceof SyntaxError ? 'the answer is not JSON' : message };
}
