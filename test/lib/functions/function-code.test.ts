import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { EphemeralKeyIssuerProps } from '../../../lib/ephemeral-key-issuer.ts';
import { BUNDLE_TEXT, errorFrom, folderWith, issuerIn, newApp, propertiesOf, SESSION_TEXT } from '../synth.ts';

const SETTINGS = { type: 'realtime', model: 'gpt-realtime-2.1', instructions: 'Speak like a pirate.' } as const;

/** @returns a file of the asset that would be uploaded as the function's code */
function deployed(file: string, props: EphemeralKeyIssuerProps = {}): string {
  const app = newApp();
  const stack = new Stack(app, 'Test');
  issuerIn(stack, props);
  const { S3Key } = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function').Code;
  return readFileSync(join(app.outdir, `asset.${S3Key.replace('.zip', '')}`, file), 'utf8');
}

describe('the deployed code', () => {
  it('is the bundle, byte for byte', () => {
    expect(deployed('index.mjs')).toBe(BUNDLE_TEXT);
  });

  it('has the session settings that the build placed beside it', () => {
    expect(deployed('session.json')).toBe(SESSION_TEXT);
  });

  it('has the session settings of the props instead, if there are any', () => {
    expect(JSON.parse(deployed('session.json', { session: SETTINGS }))).toEqual(SETTINGS);
  });

  it('has the session settings of a file instead, unchanged', () => {
    const file = join(folderWith('settings', { 'my-session.json': JSON.stringify(SETTINGS) }), 'my-session.json');
    expect(deployed('session.json', { session: file })).toBe(JSON.stringify(SETTINGS));
  });

  it('is the same bundle, however long the settings are', () => {
    const session = { ...SETTINGS, instructions: 'Be brief. '.repeat(1000) };
    expect(deployed('index.mjs', { session })).toBe(BUNDLE_TEXT);
  });
});

describe('synth fails and says what to do', () => {
  it('if nothing was built', () => {
    const codeFolder = folderWith('nothing', {});
    expect(errorFrom({ codeFolder })).toBe(
      `codeFolder: ${codeFolder}/index.mjs does not exist. To build it: npm run build`,
    );
  });

  it('if there are no session settings beside the bundle', () => {
    const codeFolder = folderWith('bundle-alone', { 'index.mjs': BUNDLE_TEXT });
    expect(errorFrom({ codeFolder })).toMatch(/^session \(.*session\.json\): .*no such file.* For example: \{"type"/);
  });

  it('if the settings beside the bundle have no model', () => {
    const codeFolder = folderWith('no-model', { 'index.mjs': BUNDLE_TEXT, 'session.json': '{"type":"realtime"}' });
    expect(errorFrom({ codeFolder })).toMatch(/^session \(.*session\.json\): its "model" must name a model/);
  });

  it('if the settings of the props have no model', () => {
    expect(errorFrom({ session: { type: 'realtime', model: '' } })).toMatch(/^session: its "model" must name/);
  });

  it('if the settings file does not exist', () => {
    expect(errorFrom({ session: 'nowhere.json' })).toMatch(/^session \(nowhere\.json\): .*no such file/);
  });
});
