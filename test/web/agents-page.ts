/** A page that calls with @openai/agents-realtime, as an application would. It runs in a browser; the test bundles it. */
import {
  OpenAIRealtimeWebRTC,
  OpenAIRealtimeWebSocket,
  RealtimeAgent,
  RealtimeSession,
  type TransportEvent,
  tool,
} from '@openai/agents-realtime';
import { z } from 'zod';

export interface AgentCall {
  readonly session: RealtimeSession;
  /** Every event from the server. */
  readonly events: readonly TransportEvent[];
  /** The types of what the library has sent. */
  readonly sent: readonly string[];
  /** What the library reports as an error: events of the server, and its own failures. */
  readonly errors: readonly string[];
  /** The cities for which the function was called. */
  readonly cities: readonly string[];
  /** Waits for an event of the type after the last one that was waited for. */
  readonly next: (type: string) => Promise<TransportEvent>;
  /** Waits until nothing has arrived for a while. What has arrived until then is no longer waited for. */
  readonly quiet: () => Promise<void>;
}

interface Target {
  readonly transport: 'webrtc' | 'websocket';
  /** Of the API, with http:. */
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
}

const QUIET_MS = 700;
const LOOK_EVERY_MS = 10;
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function connect({ transport, baseUrl, key, model }: Target): Promise<AgentCall> {
  const cities: string[] = [];
  const lookUpWeather = tool({
    name: 'look_up_weather',
    description: 'Looks up the weather of a city.',
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => {
      cities.push(city);
      return `sunny in ${city}`;
    },
  });
  const agent = new RealtimeAgent({ name: 'Guide', instructions: 'Be brief.', tools: [lookUpWeather] });
  const session = new RealtimeSession(agent, {
    model,
    transport:
      transport === 'webrtc'
        ? new OpenAIRealtimeWebRTC({ baseUrl: `${baseUrl}/realtime/calls` })
        : new OpenAIRealtimeWebSocket({ url: `${baseUrl.replace('http', 'ws')}/realtime?model=${model}` }),
  });
  const events: TransportEvent[] = [];
  const errors: string[] = [];
  session.transport.on('*', (event) => events.push(event));
  session.on('error', ({ error }) => errors.push(JSON.stringify(error)));
  const sent = recordSent(transport === 'webrtc' ? RTCDataChannel.prototype : WebSocket.prototype);
  let seen = 0;

  await session.connect({ apiKey: key });
  return {
    session,
    events,
    sent,
    errors,
    cities,
    async next(type) {
      for (;;) {
        const at = events.findIndex((event, index) => index >= seen && event.type === type);
        const found = events[at];
        if (found !== undefined) {
          seen = at + 1;
          return found;
        }
        await later(LOOK_EVERY_MS);
      }
    },
    async quiet() {
      let count: number;
      do {
        count = events.length;
        await later(QUIET_MS);
      } while (events.length > count);
      seen = count;
    },
  };
}

function recordSent(channel: { send: (data: string) => void }): readonly string[] {
  const sent: string[] = [];
  const { send } = channel;
  channel.send = function (data) {
    sent.push(JSON.parse(data).type);
    send.call(this, data);
  };
  return sent;
}
