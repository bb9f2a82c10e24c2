/**
 * `doctor`: finds what would make a deployment fail, and what would make every call fail after it. It changes nothing on AWS.
 * With `live` it requests one ephemeral key from OpenAI and discards it: only that shows that the OpenAI key works for this
 * model and these settings. Without a region or credentials, no other check of AWS is possible. All others are independent.
 */
import type { ACMClient } from '@aws-sdk/client-acm';
import { GetAccountSettingsCommand, GetFunctionConcurrencyCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import type { SessionConfig } from '../../contract/configuration.ts';
import { createMint } from '../../lambda/openai/mint.ts';
import type { ViewerId } from '../../lambda/visitor/viewer.ts';
import { systemClock } from '../../resilience/index.ts';
import { sentenceFor, toOperatorError } from '../operator-error.ts';
import { type Finding, fail, note, pass } from '../output/finding.ts';
import type { CustomDomain } from '../stack/project.ts';
import { checkCertificate } from './certificate.ts';

export type DoctorCheckName =
  | 'node'
  | 'region'
  | 'credentials'
  | 'bootstrap'
  | 'parameter'
  | 'concurrency'
  | 'certificate'
  | 'openai-key';

export type DoctorCheck = { readonly name: DoctorCheckName } & Finding;

export interface DoctorReport {
  /** True if no check failed. Notes do not count. */
  readonly passed: boolean;
  readonly checks: readonly DoctorCheck[];
}

interface Aws {
  readonly lambda: LambdaClient;
  /** The reserved concurrency that the deployment will set. */
  readonly reservedConcurrency: number | 'off';
  /** The function of the issuer that is already deployed. Rejects if there is none. */
  readonly functionName: () => Promise<string | undefined>;
  /** In the region of CloudFront's certificates. */
  readonly acm: ACMClient;
  readonly domain: CustomDomain | undefined;
}

export interface DoctorOptions {
  /** Undefined for a local stack, which has neither reserved concurrency nor a bootstrap. */
  readonly aws: Aws | undefined;
  readonly ssm: SSMClient;
  readonly keyParameter: string;
  /** Undefined: no request to OpenAI. */
  readonly live: { readonly baseUrl: string; readonly session: SessionConfig } | undefined;
  /** The command that tests the key. */
  readonly liveCommand: string;
  /** Such as `24.1.0`. */
  readonly nodeVersion: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly fetch?: typeof fetch;
  /** Called after each check. */
  readonly onCheck?: (check: DoctorCheck) => void;
}

/** The CDK's default bootstrap creates it in each region. */
const BOOTSTRAP_PARAMETER = '/cdk-bootstrap/hnb659fds/version';
/** AWS requires this much unreserved concurrency. The whole quota of a new account is lower. */
const MIN_UNRESERVED = 100;
/** The shortest lifetime that OpenAI allows. */
const KEY_TTL_S = 10;
const LIVE_MS = 9_000;

export async function runDoctor(options: DoctorOptions): Promise<DoctorReport> {
  const { aws, ssm, live, onCheck } = options;
  const checks: DoctorCheck[] = [];
  function add(name: DoctorCheckName, finding: Finding): Finding {
    const check = { name, ...finding };
    checks.push(check);
    onCheck?.(check);
    return finding;
  }
  const report = () => ({ passed: checks.every(({ result }) => result !== 'fail'), checks });

  add('node', checkNode(options.nodeVersion));
  if (aws !== undefined) {
    const region = await regionOf(aws.lambda);
    if (add('region', judgeRegion(region)).result === 'fail') {
      return report();
    }
    const account = await settingsOf(aws.lambda);
    if (add('credentials', judgeAccount(account)).result === 'fail') {
      return report();
    }
    add('bootstrap', await checkBootstrap(ssm));
    add('concurrency', await checkConcurrency(aws, account));
    if (aws.domain !== undefined) {
      add('certificate', await checkCertificate(aws.acm, aws.domain, options.now()));
    }
  }
  const parameter = add('parameter', await checkParameter(options));
  if (live === undefined) {
    add('openai-key', note('The key was not tested against OpenAI. To test it:', options.liveCommand));
  } else if (parameter.result === 'fail') {
    add('openai-key', note('The key was not tested, because the check of its parameter failed.'));
  } else {
    add('openai-key', await checkKey(options, live));
  }
  return report();
}

/** The same versions as `engines` in package.json, which npm only warns about. */
function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  return isSupported
    ? pass(`Node ${version}.`)
    : fail(`Node ${version} is not supported.`, {
        meaning: 'The build and the CDK need Node 20.19 or later in version 20, or Node 22.12 or later.',
        mend: 'Install a supported version, for example:',
        commands: ['nvm install 24'],
      });
}

async function regionOf(lambda: LambdaClient): Promise<string | Error> {
  try {
    const region: Promise<string> = lambda.config.region();
    return await region;
  } catch (error) {
    return toOperatorError(error, 'reading the region');
  }
}

function judgeRegion(region: string | Error): Finding {
  return typeof region === 'string'
    ? pass(`The region is ${region}.`)
    : fail('No AWS region is set.', {
        meaning: 'Without a region, the CDK cannot deploy.',
        mend: 'Set a region, for example Frankfurt:',
        commands: ['export AWS_REGION=eu-central-1'],
      });
}

interface Account {
  readonly unreserved: number | undefined;
}

async function settingsOf(lambda: LambdaClient): Promise<Account | Error> {
  try {
    const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
    return { unreserved: AccountLimit?.UnreservedConcurrentExecutions };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function judgeAccount(account: Account | Error): Finding {
  if (!(account instanceof Error)) {
    return pass('AWS accepts the credentials.');
  }
  return fail(sentenceFor(account), {
    meaning: 'A deployment is not possible with these credentials, or over this network.',
    mend: 'Check which account and user the credentials belong to:',
    commands: ['aws sts get-caller-identity'],
  });
}

async function checkBootstrap(ssm: SSMClient): Promise<Finding> {
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: BOOTSTRAP_PARAMETER }));
    return pass(`The CDK is bootstrapped in this account and region (version ${Parameter?.Value ?? 'unknown'}).`);
  } catch (error) {
    if (nameOf(error) === 'ParameterNotFound') {
      return fail('The CDK is not bootstrapped in this account and region.', {
        meaning: 'The deployment would stop at its first upload.',
        mend: 'Bootstrap it, once for each account and region:',
        commands: ['npx cdk bootstrap'],
      });
    }
    return note(`Could not check whether the CDK is bootstrapped: ${sentenceFor(error)}`);
  }
}

async function checkConcurrency(
  { lambda, reservedConcurrency: wanted, functionName }: Aws,
  account: Account | Error,
): Promise<Finding> {
  if (wanted === 'off') {
    return note(
      'No concurrency will be reserved, because reservedConcurrency is "off": only the quota of the account limits concurrent requests.',
    );
  }
  const unreserved = account instanceof Error ? undefined : account.unreserved;
  if (unreserved === undefined) {
    return note(
      'Could not check whether the account has room for the concurrency cap: AWS did not return the unreserved concurrency.',
    );
  }
  const ours = await reservedNow(lambda, functionName);
  const left = unreserved + ours - wanted;
  return left >= MIN_UNRESERVED
    ? pass(`The account has room for a concurrency cap of ${wanted}: ${left} stay unreserved.`)
    : fail(`A concurrency cap of ${wanted} would leave ${left} unreserved, and AWS requires ${MIN_UNRESERVED}.`, {
        meaning: 'The deployment would fail at the function.',
        mend: 'Request a higher quota from AWS, or deploy without a cap, which does not affect the limits on keys. In cdk.json:',
        commands: ['"reservedConcurrency": "off"'],
      });
}

/** The deployed function's own reservation, which the deployment replaces. */
async function reservedNow(lambda: LambdaClient, functionName: Aws['functionName']): Promise<number> {
  try {
    const command = new GetFunctionConcurrencyCommand({ FunctionName: await functionName() });
    return (await lambda.send(command)).ReservedConcurrentExecutions ?? 0;
  } catch {
    return 0;
  }
}

async function checkParameter({ ssm, keyParameter: name }: DoctorOptions): Promise<Finding> {
  const put = (overwrite = '') =>
    `printf 'OpenAI key: ' && read -rs KEY && aws ssm put-parameter ${overwrite}--type SecureString --name ${name} --value "$KEY"`;
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: name }));
    if (Parameter?.Type === 'SecureString') {
      return pass(`The parameter ${name} exists and is a SecureString.`);
    }
    return fail(`The parameter ${name} has the type ${Parameter?.Type ?? 'unknown'}, and must be a SecureString.`, {
      meaning: 'The OpenAI key is stored unencrypted, readable for everybody who may read parameters.',
      mend: 'The type of a parameter cannot be changed. Delete the parameter and create it again, preferably with a new key.',
      commands: [`aws ssm delete-parameter --name ${name}`, put()],
    });
  } catch (error) {
    if (nameOf(error) === 'ParameterNotFound') {
      return fail(`There is no parameter ${name} in this account and region.`, {
        meaning: 'The deployment would succeed, but every call would fail with "misconfigured".',
        mend: 'Store the OpenAI key there. This command keeps it out of your shell history:',
        commands: [put()],
      });
    }
    return note(`Could not check the parameter ${name}: ${sentenceFor(error)}`);
  }
}

async function checkKey(
  { ssm, keyParameter, fetch = globalThis.fetch }: DoctorOptions,
  { baseUrl, session }: NonNullable<DoctorOptions['live']>,
): Promise<Finding> {
  let key: string;
  try {
    const command = new GetParameterCommand({ Name: keyParameter, WithDecryption: true });
    key = (await ssm.send(command)).Parameter?.Value?.trim() ?? '';
  } catch (error) {
    return note(`The key was not tested, because it could not be read: ${sentenceFor(error)}`);
  }
  if (!/^[!-~]+$/.test(key)) {
    return fail(`The parameter ${keyParameter} does not hold an OpenAI key.`, {
      meaning: 'Every call would fail with "misconfigured".',
      mend: 'Store the key there again.',
    });
  }
  const mint = createMint({
    baseUrl,
    session,
    keyTtlSeconds: KEY_TTL_S,
    fetch,
    clock: systemClock,
    random: Math.random,
  });
  const minting = await mint(key, 'doctor' as ViewerId, systemClock.now() + LIVE_MS);
  switch (minting.outcome) {
    case 'minted':
      return pass(`The key works: OpenAI created an ephemeral key for ${session.model}, which was discarded.`);
    case 'unauthorized':
      return fail(`OpenAI rejected the key in ${keyParameter}.`, {
        meaning: 'Every call would fail with "upstream_refused".',
        mend: 'Create a key in the OpenAI project of the demo, and store it:',
        commands: [`aws ssm put-parameter --overwrite --type SecureString --name ${keyParameter} --value …`],
      });
    case 'refused':
      return fail(`OpenAI refused the request: ${minting.reason}`, {
        meaning: 'Every call would fail with "upstream_refused".',
        mend: 'Check the settings in session.json, and the billing of the OpenAI project.',
      });
    case 'unavailable':
      return note(`The key was not tested, because OpenAI did not serve the request: ${minting.reason}`);
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
