/**
 * `doctor`: what would make a deploy fail, or let it succeed and every call fail, found beforehand. It changes nothing. With
 * `live` it asks OpenAI for one key, which nobody uses: that alone shows that the key works, for this model and these
 * settings. The checks are independent, but for credentials and region: without those there is nothing to ask.
 */
import { GetAccountSettingsCommand, GetFunctionConcurrencyCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import type { SessionConfig } from '../../contract/configuration.ts';
import { createMint } from '../../lambda/openai/mint.ts';
import type { ViewerId } from '../../lambda/visitor/viewer.ts';
import { systemClock } from '../../resilience/index.ts';
import { inWords, sentenceFor } from '../operator-error.ts';
import { type Finding, fail, note, pass } from '../output/finding.ts';

export type DoctorCheckName =
  | 'node'
  | 'region'
  | 'credentials'
  | 'bootstrap'
  | 'parameter'
  | 'concurrency'
  | 'openai-key';

export type DoctorCheck = { readonly name: DoctorCheckName } & Finding;

export interface DoctorReport {
  /** Nothing failed. Notes do not count. */
  readonly passed: boolean;
  readonly checks: readonly DoctorCheck[];
}

interface Aws {
  readonly lambda: LambdaClient;
  /** What the deploy will reserve. */
  readonly reservedConcurrency: number | 'off';
  /** Of the issuer that is deployed already. Rejects if there is none. */
  readonly functionName: () => Promise<string | undefined>;
}

export interface DoctorOptions {
  /** Undefined for a local stack, which has neither concurrency nor bootstrap. */
  readonly aws: Aws | undefined;
  readonly ssm: SSMClient;
  readonly keyParameter: string;
  /** Undefined: OpenAI is not asked. */
  readonly live: { readonly baseUrl: string; readonly session: SessionConfig } | undefined;
  /** The command line by which the key is tried. */
  readonly liveCommand: string;
  /** Such as `24.1.0`. */
  readonly nodeVersion: string;
  readonly fetch?: typeof fetch;
  /** Hears of each check as soon as it is made. */
  readonly onCheck?: (check: DoctorCheck) => void;
}

/** What the CDK's default bootstrap leaves in each region. */
const BOOTSTRAP_PARAMETER = '/cdk-bootstrap/hnb659fds/version';
/** AWS insists on so much unreserved concurrency; new accounts have less than that in all. */
const LEFT_TO_OTHERS = 100;
/** The shortest life that OpenAI gives a key. */
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
  }
  const parameter = add('parameter', await checkParameter(options));
  if (live === undefined) {
    add('openai-key', note('Not tried against OpenAI. To try it:', options.liveCommand));
  } else if (parameter.result === 'fail') {
    add('openai-key', note('Not tried: there is no key to try.'));
  } else {
    add('openai-key', await checkKey(options, live));
  }
  return report();
}

/** package.json says the same to npm, which only warns. */
function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isFit = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  return isFit
    ? pass(`Node ${version}.`)
    : fail(`Node ${version} is too old.`, {
        meaning: 'The build and the CDK need Node 20.19, or 22.12 and later.',
        mend: 'Install a current one, for instance:',
        commands: ['nvm install 24'],
      });
}

async function regionOf(lambda: LambdaClient): Promise<string | Error> {
  try {
    const region: Promise<string> = lambda.config.region();
    return await region;
  } catch (error) {
    return inWords(error, 'looking for the region');
  }
}

function judgeRegion(region: string | Error): Finding {
  return typeof region === 'string'
    ? pass(`The region is ${region}.`)
    : fail('No AWS region is set.', {
        meaning: 'The deploy would not know where to go.',
        mend: 'Choose one, here for Frankfurt:',
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
    meaning: 'Nothing can be deployed with these credentials, or from here.',
    mend: 'See whose they are, if anybody is signed in:',
    commands: ['aws sts get-caller-identity'],
  });
}

async function checkBootstrap(ssm: SSMClient): Promise<Finding> {
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: BOOTSTRAP_PARAMETER }));
    return pass(`The CDK is bootstrapped here (version ${Parameter?.Value ?? 'unknown'}).`);
  } catch (error) {
    if (nameOf(error) === 'ParameterNotFound') {
      return fail('The CDK is not bootstrapped in this account and region.', {
        meaning: 'The deploy would stop at its first upload.',
        mend: 'Once per account and region:',
        commands: ['npx cdk bootstrap'],
      });
    }
    return note(`Whether the CDK is bootstrapped is not known: ${sentenceFor(error)}`);
  }
}

async function checkConcurrency(
  { lambda, reservedConcurrency: wanted, functionName }: Aws,
  account: Account | Error,
): Promise<Finding> {
  if (wanted === 'off') {
    return note(
      'No concurrency is reserved (reservedConcurrency is off): only the quota of the account caps requests.',
    );
  }
  const unreserved = account instanceof Error ? undefined : account.unreserved;
  if (unreserved === undefined) {
    return note('Whether there is room for the concurrency cap is not known: AWS did not say.');
  }
  const ours = await reservedNow(lambda, functionName);
  const left = unreserved + ours - wanted;
  return left >= LEFT_TO_OTHERS
    ? pass(`There is room for a concurrency cap of ${wanted}: ${left} stay unreserved.`)
    : fail(`A concurrency cap of ${wanted} would leave ${left} unreserved, and AWS insists on ${LEFT_TO_OTHERS}.`, {
        meaning: 'The whole deploy would fail at the function.',
        mend: 'Deploy without a cap (the limits on keys hold all the same), or ask AWS for a higher quota. In cdk.json:',
        commands: ['"reservedConcurrency": "off"'],
      });
}

/** What our own function holds already comes free when it is changed. */
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
      return pass(`The parameter ${name} is there, and is a SecureString.`);
    }
    return fail(`The parameter ${name} is a ${Parameter?.Type ?? 'thing of no type'}, not a SecureString.`, {
      meaning: 'The OpenAI key lies open to everybody who may read parameters.',
      mend: 'A type cannot be changed: delete it and put it again. Better still, with a new key.',
      commands: [`aws ssm delete-parameter --name ${name}`, put()],
    });
  } catch (error) {
    if (nameOf(error) === 'ParameterNotFound') {
      return fail(`There is no parameter ${name} in this account and region.`, {
        meaning: 'The deploy would succeed, and every call be answered "misconfigured".',
        mend: 'Put the OpenAI key there, without leaving it in the history of your shell:',
        commands: [put()],
      });
    }
    return note(`Whether the parameter ${name} is there is not known: ${sentenceFor(error)}`);
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
    return note(`The key cannot be read from here, so it was not tried: ${sentenceFor(error)}`);
  }
  if (!/^[!-~]+$/.test(key)) {
    return fail(`The parameter ${keyParameter} does not hold an OpenAI key.`, {
      meaning: 'Every call would be answered "misconfigured".',
      mend: 'Put the key there again.',
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
      return pass(`OpenAI makes keys for ${session.model} with it. The one that was made is thrown away.`);
    case 'unauthorized':
      return fail(`OpenAI does not accept the key in ${keyParameter}.`, {
        meaning: 'Every call would be answered "upstream_refused".',
        mend: 'Create a key in the project of the demo, and put it there:',
        commands: [`aws ssm put-parameter --overwrite --type SecureString --name ${keyParameter} --value …`],
      });
    case 'refused':
      return fail(`OpenAI refuses: ${minting.reason}`, {
        meaning: 'Every call would be answered "upstream_refused".',
        mend: 'See the settings in session.json, and the bill of the OpenAI project.',
      });
    case 'unavailable':
      return note(`OpenAI did not serve the request, so the key was not tried: ${minting.reason}`);
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
