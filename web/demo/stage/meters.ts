/**
 * The two level meters. Once a frame, they measure a call's two streams and move their bars. A frame neither reads nor changes
 * the layout: a bar's length is a clip. With reduced motion, a meter only shows whether its side is audible.
 */
import { createSound } from '../../client/browser/sound.ts';
import { FFT_SIZE, isAudible, loudnessOf } from './loudness.ts';

export interface Meters {
  readonly stop: () => void;
}

const FLOOR_DB = -75;
const CEILING_DB = -20;

/** @param sides for each side, the stream to measure and the element whose children are its bars */
export function startMeters(sides: readonly (readonly [MediaStream, HTMLElement])[]): Meters {
  const ended = new AbortController();
  const audio = createSound(ended.signal);
  // A stream without a track cannot be measured. The call continues without its meter.
  const measurable = sides.filter(([stream]) => stream.getAudioTracks().length > 0);
  const meters = measurable.map(([stream, element]) => meterOf(audio, stream, element));
  let frame = requestAnimationFrame(draw);

  function draw(): void {
    for (const meter of meters) {
      meter.draw();
    }
    frame = requestAnimationFrame(draw);
  }

  return {
    stop() {
      cancelAnimationFrame(frame);
      for (const meter of meters) {
        meter.rest();
      }
      ended.abort();
    },
  };
}

function meterOf(audio: AudioContext, stream: MediaStream, element: HTMLElement) {
  const analyser = new AnalyserNode(audio, {
    fftSize: FFT_SIZE,
    minDecibels: FLOOR_DB,
    maxDecibels: CEILING_DB,
    smoothingTimeConstant: 0.7,
  });
  audio.createMediaStreamSource(stream).connect(analyser);
  const bins = new Uint8Array(analyser.frequencyBinCount);
  const bars = Array.from(element.children).filter((child) => child instanceof HTMLElement);

  function show(loudness: readonly number[]): void {
    for (const [index, bar] of bars.entries()) {
      bar.style.setProperty('--level', (loudness[index] ?? 0).toFixed(2));
    }
    element.dataset['heard'] = String(isAudible(loudness));
  }

  return {
    draw() {
      analyser.getByteFrequencyData(bins);
      show(loudnessOf(bins));
    },
    rest: () => show([0]),
  };
}
