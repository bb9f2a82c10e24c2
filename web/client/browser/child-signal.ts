/** Creates a signal that aborts with its parent, or earlier. Once aborted, it leaves no listener on the parent. */
export function childOf(parent: AbortSignal): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  const { signal } = controller;
  if (parent.aborted) {
    controller.abort(parent.reason);
  }
  parent.addEventListener('abort', () => controller.abort(parent.reason), { once: true, signal });
  return { signal, abort: () => controller.abort() };
}
