/** What a page downloads: our client and its alternatives, each as its own bundle, minified and compressed. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Part } from '../harness/figures.ts';

const ROOT = join(import.meta.dirname, '../..');

const PEERS = {
  partysocket: "export { WebSocket } from 'partysocket';",
  cockatiel:
    "export { circuitBreaker, ConsecutiveBreaker, ExponentialBackoff, handleAll, retry, wrap } from 'cockatiel';",
  'openai, realtime WebSocket': "export { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';",
  '@openai/agents-realtime': "export { RealtimeAgent, RealtimeSession } from '@openai/agents-realtime';",
} as const;

export async function clientBytes(): Promise<Part> {
  const own = await bytesOf("export * from './web/client/index.ts';");
  const peers = await Promise.all(
    Object.entries(PEERS).map(async ([name, contents]) => ({ name, bytes: await bytesOf(contents) })),
  );
  return {
    name: 'Client',
    figures: peers.map(({ name, bytes }) => ({
      what: `bytes, gzipped / ${name}`,
      ratio: own / bytes,
      ours: own.toLocaleString('en'),
      other: bytes.toLocaleString('en'),
    })),
  };
}

async function bytesOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    write: false,
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length;
}
