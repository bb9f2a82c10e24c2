/**
 * Answers a WebRTC offer as OpenAI does: a data channel `oai-events`, which the caller opens, and one audio track in both
 * directions. The caller's voice is echoed, except while something is played. Loopback only, audio as PCMU.
 */

import type { MediaStreamTrack, RTCDataChannel, RTCPeerConnection, RtpPacket } from 'werift';
import type { AudioCount, Conversation, Line } from './conversation.ts';
import { decodePcmu, encodePcmu, PCMU_RATE, toPcmuRate } from './voice.ts';

const CHANNEL = 'oai-events';
const PACKET_MS = 20;
const PACKET_BYTES = (PCMU_RATE * PACKET_MS) / 1000;
/** A message right when the channel opens makes Chromium stall for a second. */
const FIRST_MESSAGE_AFTER_MS = 20;
/**
 * Time for the close message of the channel to be sent before the transport closes, also on a busy machine. When the caller
 * receives it, it closes its side, and the transport closes at once.
 */
const LAST_MESSAGE_TAKES_MS = 3_000;

export interface Answering {
  /** Called once, as soon as the channel is open. */
  readonly onOpen: (line: Line) => Conversation;
  /** Called once when the call ends for any reason, even if it never opened. */
  readonly onEnd: () => void;
  readonly audio: AudioCount;
}

export interface AnsweredCall {
  readonly sdp: string;
  /** Ends the call without a message; the browser detects this by itself after seconds. */
  readonly vanish: () => Promise<void>;
}

/** @returns undefined for an offer that cannot be answered */
export async function answerOffer(sdp: string, { onOpen, onEnd, audio }: Answering): Promise<AnsweredCall | undefined> {
  // Imported here, because it loads slowly and most runs of the stand-in have no calls.
  const werift = await import('werift');
  const peer = new werift.RTCPeerConnection({
    codecs: { audio: [werift.usePCMU()], video: [] },
    iceServers: [],
    iceAdditionalHostAddresses: ['127.0.0.1'],
    iceUseIpv6: false,
  });
  const speaker = createSpeaker((payload, sequenceNumber, timestamp, marker) => {
    const header = new werift.RtpHeader({ sequenceNumber, timestamp, marker, payloadType: 0 });
    voice.writeRtp(new werift.RtpPacket(header, payload));
    audio.sent += 1;
  });
  const voice = new werift.MediaStreamTrack({ kind: 'audio' });
  let conversation: Conversation | undefined;
  let ended = false;

  async function vanish(): Promise<void> {
    if (!ended) {
      ended = true;
      speaker.stop();
      onEnd();
      await peer.close();
    }
  }

  peer.onDataChannel.subscribe((channel) => {
    if (channel.label === CHANNEL) {
      channel.onMessage.subscribe((message) => conversation?.receive(message.toString()));
      setTimeout(() => {
        if (!ended) {
          conversation = onOpen(lineOn(channel, speaker.play, vanish));
        }
      }, FIRST_MESSAGE_AFTER_MS);
    }
  });
  peer.onTrack.subscribe((track: MediaStreamTrack) => {
    track.onReceiveRtp.subscribe(({ payload }: RtpPacket) => {
      audio.received += 1;
      conversation?.hear(decodePcmu(payload), PCMU_RATE);
      speaker.echo(payload);
    });
  });
  peer.connectionStateChange.subscribe((state) => {
    if (state === 'failed' || state === 'closed' || state === 'disconnected') {
      vanish().catch(console.error);
    }
  });

  const answer = await answerTo(peer, sdp, voice);
  if (answer === undefined) {
    await vanish();
    return undefined;
  }
  for (const transport of peer.dtlsTransports) {
    // Detects that the caller hung up. The peer's own state would change only after packets have been missing for long.
    transport.onStateChange.subscribe((state) => {
      if (state === 'closed') {
        vanish().catch(console.error);
      }
    });
  }
  return { sdp: answer, vanish };
}

async function answerTo(peer: RTCPeerConnection, sdp: string, voice: MediaStreamTrack): Promise<string | undefined> {
  try {
    await peer.setRemoteDescription({ type: 'offer', sdp });
    if (!peer.getTransceivers().some(({ kind }) => kind === 'audio')) {
      return undefined;
    }
    // Uses the transceiver that the offer created.
    peer.addTrack(voice);
    // Resolves when all candidates are gathered, so the answer is complete and no candidates follow.
    await peer.setLocalDescription(await peer.createAnswer());
    return peer.localDescription?.sdp;
  } catch {
    return undefined;
  }
}

function lineOn(channel: RTCDataChannel, play: (samples: Int16Array) => void, vanish: () => Promise<void>): Line {
  function hangUp(): void {
    channel.close();
    setTimeout(() => vanish().catch(console.error), LAST_MESSAGE_TAKES_MS);
  }
  return {
    send: (event) => channel.readyState === 'open' && channel.send(JSON.stringify(event)),
    play: (samples) => play(toPcmuRate(samples)),
    drop: hangUp,
    vanish: () => vanish().catch(console.error),
    close: hangUp,
  };
}

type SendPacket = (payload: Buffer, sequenceNumber: number, timestamp: number, marker: boolean) => void;

/** One stream of packets from two sources: what is played, every 20 ms, and otherwise the echo. */
function createSpeaker(send: SendPacket) {
  let waiting: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sequenceNumber = 0;
  let timestamp = 0;

  function sendNext(payload: Buffer): void {
    send(payload, sequenceNumber, timestamp, sequenceNumber === 0);
    sequenceNumber = (sequenceNumber + 1) & 0xffff;
    timestamp = (timestamp + payload.length) >>> 0;
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    waiting = [];
  }

  function tick(): void {
    const payload = waiting.shift();
    if (payload === undefined) {
      stop();
    } else {
      sendNext(payload);
    }
  }

  return {
    stop,
    /** @param samples at 8 kHz */
    play(samples: Int16Array): void {
      const bytes = encodePcmu(samples);
      for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
        waiting.push(bytes.subarray(at, at + PACKET_BYTES));
      }
      timer ??= setInterval(tick, PACKET_MS);
    },
    echo(payload: Buffer): void {
      if (timer === undefined) {
        sendNext(payload);
      }
    },
  };
}
