/** An AudioContext that is kept running, and closed when the signal aborts. */

/**
 * Safari and autoplay policies start a context suspended, and an incoming phone call suspends it. A suspended context neither
 * records nor plays. While the microphone is open, most browsers resume it on request. The others do so once the visitor
 * touches the page.
 *
 * @param onBlocked receives whether the context is suspended, immediately and after each change
 */
export function createSound(signal: AbortSignal, onBlocked?: (isBlocked: boolean) => void): AudioContext {
  const context = new AudioContext();
  const report = () => onBlocked?.(context.state !== 'running');
  report();
  context.addEventListener('statechange', report, { signal });
  // Rejects if the context has been closed in the meantime.
  const resume = () => void context.resume().catch(() => undefined);
  resume();
  addEventListener('pointerup', resume, { signal });
  addEventListener('keyup', resume, { signal });
  signal.addEventListener('abort', () => void context.close(), { once: true });
  return context;
}
