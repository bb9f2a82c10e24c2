import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { EphemeralKeyIssuerProps } from '../../../lib/ephemeral-key-issuer.ts';
import { BUNDLE_TEXT, complaintAbout, folderWith, issuerIn, newApp, propertiesOf, SESSION_TEXT } from '../synth.ts';

const SETTINGS = { type: 'realtime', model: 'gpt-realtime-2.1', instructions: 'Speak like a pirate.' } as const;

/** A file of the asset that would be uploaded as the function's code. */
function deployed(file: string, props: EphemeralKeyIssuerProps = {}): string {
  const app = newApp();
  const stack = new Stack(app, 'Test');
  issuerIn(stack, props);
  const { S3Key } = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function').Code;
  return readFileSync(join(app.outdir, `asset.${S3Key.replace('.zip', '')}`, file), 'utf8');
}

describe('what is deployed', () => {
  it('is the bundle, byte for byte', () => {
    expect(deployed('index.mjs')).toBe(BUNDLE_TEXT);
  });

  it('has the session settings that the build put beside it', () => {
    expect(deployed('session.json')).toBe(SESSION_TEXT);
  });

  it('has the session settings of the props in their place', () => {
    expect(JSON.parse(deployed('session.json', { session: SETTINGS }))).toEqual(SETTINGS);
  });

  it('has those of a file in their place, as they are', () => {
    const file = join(folderWith('settings', { 'my-session.json': JSON.stringify(SETTINGS) }), 'my-session.json');
    expect(deployed('session.json', { session: file })).toBe(JSON.stringify(SETTINGS));
  });

  it('is the same bundle whatever the settings are, however long', () => {
    const session = { ...SETTINGS, instructions: 'Be brief. '.repeat(1000) };
    expect(deployed('index.mjs', { session })).toBe(BUNDLE_TEXT);
  });
});

describe('the synth stops, and says what to do,', () => {
  it('when nothing was built', () => {
    const codeFolder = folderWith('nothing', {});
    expect(complaintAbout({ codeFolder })).toBe(
      `codeFolder: there is no ${codeFolder}/index.mjs. Make it: npm run build`,
    );
  });

  it('when the bundle came without session settings', () => {
    const codeFolder = folderWith('bundle-alone', { 'index.mjs': BUNDLE_TEXT });
    expect(complaintAbout({ codeFolder })).toMatch(
      /^session \(.*session\.json\): .*no such file.* A right value: \{"type"/,
    );
  });

  it('when the built settings name no model', () => {
    const codeFolder = folderWith('no-model', { 'index.mjs': BUNDLE_TEXT, 'session.json': '{"type":"realtime"}' });
    expect(complaintAbout({ codeFolder })).toMatch(/^session \(.*session\.json\): its "model" must name a model/);
  });

  it('when the settings of the props name no model', () => {
    expect(complaintAbout({ session: { type: 'realtime', model: '' } })).toMatch(/^session: its "model" must name/);
  });

  it('when the file of the props is not there', () => {
    expect(complaintAbout({ session: 'nowhere.json' })).toMatch(/^session \(nowhere\.json\): .*no such file/);
  });
});
