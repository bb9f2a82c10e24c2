/** An AudioContext that runs. It is closed when the signal aborts. */

/**
 * Safari, and policies on autoplay, let a context begin suspended, and a phone call suspends it: it would neither record nor
 * play. Where the microphone is open, most let it run when asked; the others, once the visitor touches the page.
 */
export function createSound(signal: AbortSignal): AudioContext {
  const context = new AudioContext();
  // It rejects where the context was closed meanwhile.
  const resume = () => void context.resume().catch(() => undefined);
  resume();
  addEventListener('pointerup', resume, { signal });
  addEventListener('keyup', resume, { signal });
  signal.addEventListener('abort', () => void context.close(), { once: true });
  return context;
}
