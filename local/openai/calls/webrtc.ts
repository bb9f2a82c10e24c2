/**
 * Answers a WebRTC offer as OpenAI does: a data channel `oai-events`, which the caller opens, and one audio track in both
 * directions. Loopback only, audio as PCMU.
 */

import type { MediaStreamTrack, RTCDataChannel, RTCPeerConnection, RtpPacket } from 'werift';
import { decodeAudio } from './audio-formats.ts';
import type { Conversation } from './conversation/conversation.ts';
import type { AudioCount, Line, Speaker } from './line.ts';
import { createSpeaker } from './speaker.ts';

const CHANNEL = 'oai-events';
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
      speaker.clear();
      onEnd();
      await peer.close();
    }
  }

  peer.onDataChannel.subscribe((channel) => {
    if (channel.label === CHANNEL) {
      // A client may send its first events as soon as the channel is open.
      const early: string[] = [];
      channel.onMessage.subscribe((message) => {
        if (conversation === undefined) {
          early.push(message.toString());
        } else {
          conversation.receive(message.toString());
        }
      });
      setTimeout(() => {
        if (!ended) {
          conversation = onOpen(lineOn(channel, speaker, vanish));
          early.forEach(conversation.receive);
        }
      }, FIRST_MESSAGE_AFTER_MS);
    }
  });
  peer.onTrack.subscribe((track: MediaStreamTrack) => {
    track.onReceiveRtp.subscribe(({ payload }: RtpPacket) => {
      audio.received += 1;
      conversation?.hear(decodeAudio(payload, 'audio/pcmu'));
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

function lineOn(channel: RTCDataChannel, speaker: Speaker, vanish: () => Promise<void>): Line {
  function hangUp(): void {
    channel.close();
    setTimeout(() => vanish().catch(console.error), LAST_MESSAGE_TAKES_MS);
  }
  return {
    send: (event) => channel.readyState === 'open' && channel.send(JSON.stringify(event)),
    speaker,
    drop: hangUp,
    vanish: () => vanish().catch(console.error),
    close: hangUp,
  };
}
