/** What an issuer can be told. Everything has a default; `cdk.json` takes the same names as context. */

import type { SessionConfig } from '../../contract/configuration.ts';
import type { AlarmThresholds } from '../monitoring/alarms.ts';
import type { TableCapacity } from '../table.ts';

export interface EphemeralKeyIssuerProps {
  /**
   * The SSM parameter (SecureString, under the key aws/ssm) that holds the OpenAI key. It must exist before the first
   * call; CloudFormation cannot make a SecureString. The name must be known at synth.
   *
   * @default '/ephemeral-key-issuer/openai-api-key'
   */
  readonly keyParameterName?: string;

  /**
   * Where keys are minted. The page may reach this host and no other.
   *
   * @default 'https://api.openai.com/v1'
   */
  readonly openaiBaseUrl?: string;

  /**
   * How long a key can open sessions, 10 to 7200 seconds. A session that it opened may last longer.
   *
   * @default 60
   */
  readonly keyTtlSeconds?: number;

  /**
   * OpenAI's session settings: the settings themselves, or the path of a JSON file with them. They travel as
   * `session.json` beside the code, so that long instructions do not meet Lambda's 4 KB of environment.
   *
   * @default - the session.json in `codeFolder`
   */
  readonly session?: SessionConfig | string;

  /**
   * How many keys one visitor gets, such as `10/1h`, or several limits joined by commas.
   *
   * @default '10/1h'
   */
  readonly clientLimits?: string;

  /**
   * How many keys all visitors together get.
   *
   * @default '500/1d'
   */
  readonly globalLimits?: string;

  /**
   * How many leading bits of an IPv6 address make one visitor, 32 to 128.
   *
   * @default 56
   */
  readonly ipv6Prefix?: number;

  /**
   * Other sites whose pages may ask for keys, as exact origins such as `https://www.example.com`. The page served by
   * the issuer's own distribution needs no entry.
   *
   * @default - none, and no CORS headers
   */
  readonly allowedOrigins?: readonly string[];

  /**
   * What happens while DynamoDB does not answer: `closed` hands out no key, `open` a few.
   *
   * @default 'closed'
   */
  readonly limiterFailureMode?: 'closed' | 'open';

  /**
   * How many requests the function serves at once. They are taken from the account's concurrency, of which AWS wants
   * a part left over. A new account, whose whole quota may be 10, has none to give: the deploy fails, and `off` helps.
   * It caps the making of keys, not the calls that visitors make with them.
   *
   * @default 5
   */
  readonly reservedConcurrency?: number | 'off';

  /**
   * What the table may consume, and so cost.
   *
   * @default - on demand, at most 50 read and 50 write units a second
   */
  readonly tableCapacity?: TableCapacity;

  /**
   * The table's name.
   *
   * @default - CloudFormation makes one up, so that the table can be replaced
   */
  readonly tableName?: string;

  /**
   * How long the function's log is kept, in days; one of the periods that CloudWatch knows.
   *
   * @default 30
   */
  readonly logRetentionDays?: number;

  /**
   * Whether to create a CloudFront distribution. Without one, add the issuer to your own by
   * `additionalBehaviors: issuer.additionalBehaviors`, and have no custom error response there that replaces a 403 or
   * 404 by a page: it would replace the API's refusals too.
   *
   * @default true
   */
  readonly createDistribution?: boolean;

  /**
   * What the distribution serves at `/`: the demo page (true), nothing (false), or the files of a folder of yours.
   *
   * @default - true where the issuer creates the distribution, else false
   */
  readonly page?: boolean | string;

  /**
   * Alarms with their usual thresholds (true) or with some of yours, and the function by which the issuer pauses itself
   * when keys leave too fast; or none of it (false). Ten alarms are free in an account, a further one costs $0.10 a month.
   *
   * @default true
   */
  readonly guardrails?: boolean | AlarmThresholds;

  /**
   * The address that gets a mail when an alarm goes off. AWS asks it first whether it wants them.
   *
   * @default - nobody
   */
  readonly alarmMail?: string;

  /**
   * Whether there are a dashboard and saved queries of the log. Three dashboards are free in an account, a further one
   * costs $3 a month.
   *
   * @default true
   */
  readonly dashboard?: boolean;

  /**
   * The folder with `index.mjs`, the function's bundle.
   *
   * @default - dist/lambda of this package
   */
  readonly codeFolder?: string;
}
