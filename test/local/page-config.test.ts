import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startEdge } from '../../local/aws/edge.ts';
import { createOriginAccess } from '../../local/aws/origin-access.ts';

async function start(files: Readonly<Record<string, string>>) {
  const page = await mkdtemp(join(tmpdir(), 'page-'));
  onTestFinished(() => rm(page, { recursive: true }));
  await Promise.all(Object.entries(files).map(([file, text]) => writeFile(join(page, file), text)));
  const edge = await startEdge({
    port: 0,
    functionUrl: 'http://127.0.0.1:1',
    originAccess: createOriginAccess(),
    allowedOrigins: [],
    page,
    mostAtOnce: 1,
    openaiBaseUrl: 'http://127.0.0.1:2/v1',
  });
  onTestFinished(() => edge.close());
  return edge;
}

it("serves OpenAI's URL to the page, with the headers of the page", async () => {
  const { origin } = await start({ 'index.html': '<p>' });
  const [config, page] = await Promise.all([fetch(`${origin}/config.json`), fetch(origin)]);
  expect(await config.json()).toEqual({ openaiBaseUrl: 'http://127.0.0.1:2/v1' });
  expect(config.headers.get('content-type')).toBe('application/json');
  const policy = 'content-security-policy';
  expect(config.headers.get(policy)).toBe(page.headers.get(policy));
});

it("does not replace a page's own configuration", async () => {
  const { origin } = await start({ 'config.json': '{"own":true}' });
  expect(await (await fetch(`${origin}/config.json`)).json()).toEqual({ own: true });
});
