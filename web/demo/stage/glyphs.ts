/** The dial's icons: strokes with round ends in a square of 48. */
import type { Situation } from '../page-state.ts';

const MICROPHONE = 'M24 7a6 6 0 0 1 6 6v9a6 6 0 0 1-12 0v-9a6 6 0 0 1 6-6zM11 22a13 13 0 0 0 26 0M24 35v7';

const GLYPHS = {
  wave: 'M6 21v6m9-12v18m9-23v28m9-23v18m9-12v6',
  microphone: MICROPHONE,
  'no-microphone': `${MICROPHONE}M8 8l32 32`,
  dots: 'M10 24h2M23 24h2M36 24h2',
  reconnect: 'M38 24a14 14 0 1 1-4.1-9.9L38 18M38 8v10H28',
  clock: 'M24 7a17 17 0 1 0 .1 0M24 14v10l7 4',
  alert: 'M24 10v18M24 37v.5',
  done: 'M11 25l9 9 17-19',
} as const;

/** The `d` attribute of a path. */
export type Glyph = (typeof GLYPHS)[keyof typeof GLYPHS];

export function glyphOf(situation: Situation): Glyph {
  switch (situation.name) {
    case 'asking-for-microphone':
      return GLYPHS.microphone;
    case 'minting':
    case 'connecting':
      return GLYPHS.dots;
    case 'reconnecting':
      return GLYPHS.reconnect;
    case 'refused':
      return GLYPHS.clock;
    case 'failed':
      return situation.reason.startsWith('microphone-') ? GLYPHS['no-microphone'] : GLYPHS.alert;
    case 'misconfigured':
      return GLYPHS.alert;
    case 'ended':
      return GLYPHS.done;
    default:
      return GLYPHS.wave;
  }
}
