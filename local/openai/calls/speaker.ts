/** Plays audio over RTP: a packet of PCMU every 20 ms, and none while there is nothing to play. */

import { encodeAudio } from './audio-formats.ts';
import { G711_RATE } from './g711.ts';
import type { Speaker } from './line.ts';

const PACKET_MS = 20;
const PACKET_BYTES = (G711_RATE * PACKET_MS) / 1000;

export type SendPacket = (payload: Buffer, sequenceNumber: number, timestamp: number, marker: boolean) => void;

export function createSpeaker(send: SendPacket): Speaker {
  let waiting: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sequenceNumber = 0;
  let timestamp = 0;

  function clear(): void {
    clearInterval(timer);
    timer = undefined;
    waiting = [];
  }

  function tick(): void {
    const payload = waiting.shift();
    if (payload === undefined) {
      clear();
      return;
    }
    send(payload, sequenceNumber, timestamp, sequenceNumber === 0);
    sequenceNumber = (sequenceNumber + 1) & 0xffff;
    timestamp = (timestamp + payload.length) >>> 0;
  }

  function play(samples: Int16Array): void {
    const bytes = encodeAudio(samples, 'audio/pcmu');
    for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
      waiting.push(bytes.subarray(at, at + PACKET_BYTES));
    }
    timer ??= setInterval(tick, PACKET_MS);
  }

  return { play, clear };
}
