import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import { issuerApp } from '../../bin/issuer-app.ts';
import { STACK_NAME } from '../../contract/outputs.ts';
import { CERTIFICATE, CODE_FOLDER, outputFolder, PAGE_FOLDER } from '../lib/synth.ts';

/** With every optional part. */
const CONTEXT = {
  codeFolder: CODE_FOLDER,
  page: PAGE_FOLDER,
  limiterFailureMode: 'open',
  alarmMail: 'you@example.com',
};
const DOMAIN = {
  domainName: 'demo.example.com',
  certificateArn: CERTIFICATE,
  hostedZoneId: 'Z0123456789',
  hostedZoneName: 'example.com',
};

interface Violation {
  readonly ruleName: string;
  readonly violatingConstructs: readonly { readonly constructPath: string }[];
}

describe('the app', () => {
  it.each([
    ['every optional part', CONTEXT],
    ['a custom domain', { ...CONTEXT, ...DOMAIN }],
  ])('with %s has no cdk-nag findings, except for a bucket that a test adds next to the issuer', (_, context) => {
    const outdir = outputFolder();
    const app = issuerApp({ outdir, context: { ...context, '@aws-cdk/core:failSynthOnValidationErrors': false } });
    new Bucket(app.node.findChild(STACK_NAME), 'Unchecked');
    app.synth();
    const { pluginReports } = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8'));
    const violations: Violation[] = pluginReports.flatMap((report: { violations: Violation[] }) => report.violations);
    const found = violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );
    expect(found).toEqual([
      `AwsSolutions-S1 ${STACK_NAME}/Unchecked/Resource`,
      `AwsSolutions-S10 ${STACK_NAME}/Unchecked/Resource`,
    ]);
  });

  it('runs with the environment that the CDK command line sets', async () => {
    const outdir = outputFolder();
    await runApp(outdir, CONTEXT);
    const template = JSON.parse(readFileSync(join(outdir, `${STACK_NAME}.template.json`), 'utf8'));
    expect(template.Outputs).toHaveProperty('SessionUrl');
  });

  it('ends with an error message and no stack trace if the context is invalid', async () => {
    const failure = runApp(outputFolder(), { ...CONTEXT, clientLimits: 'many' });
    await expect(failure).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^clientLimits: CLIENT_LIMITS="many" is invalid: .* For example: CLIENT_LIMITS=10\/1h\n$/,
      ),
    });
  });
});

/** Runs the app as `cdk synth` does, with folder and context in the environment. cdk-nag, which takes seconds, is off. */
function runApp(outdir: string, context: object) {
  const env = {
    ...process.env,
    CDK_OUTDIR: outdir,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    CDK_VALIDATION: 'false',
  };
  return promisify(execFile)(process.execPath, ['bin/app.ts'], { env });
}
