/**
 * What of the AWS SDK is left out of the functions' bundles, and why: half of it is for machines that are not Lambda, and
 * for operations that nobody here calls. A cut gives a file of a package another text. The build fails at one that finds
 * its file gone, or nothing in it to change, so that an update of the SDK cannot undo it in silence.
 */
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

export interface Cut {
  /** Below node_modules. */
  readonly file: string;
  /** Why nobody misses it. */
  readonly reason: string;
  /** Paths of modules, below node_modules, that are in the bundle no more. */
  readonly gone: readonly string[];
  /** The file's new text. */
  readonly replace: (text: string) => string;
}

/**
 * The errors that the operations we call can answer with. One that is not known to the SDK keeps its name and its
 * `$fault`, which follows from the status; only members beside the message, such as the item of a failed condition,
 * need the SDK to know it.
 */
export const KNOWN_ERRORS = {
  'client-dynamodb': [
    'ConditionalCheckFailedException',
    'InternalServerError',
    'InvalidEndpointException',
    'ItemCollectionSizeLimitExceededException',
    'ProvisionedThroughputExceededException',
    'ReplicatedWriteConflictException',
    'RequestLimitExceeded',
    'ResourceNotFoundException',
    'ThrottlingException',
    'TransactionConflictException',
  ],
  'client-ssm': ['InternalServerError', 'InvalidKeyId', 'ParameterNotFound', 'ParameterVersionNotFound'],
} as const;

type Client = keyof typeof KNOWN_ERRORS;

const CONFIG = '@smithy/core/dist-es/submodules/config';

export const CUTS: readonly Cut[] = [
  {
    file: '@aws-sdk/credential-provider-node/dist-es/index.js',
    reason: 'Lambda hands a function its credentials in the environment, as npm start does: no SSO, no role to assume.',
    gone: [
      '@aws-sdk/nested-clients',
      '@aws-sdk/credential-provider-http',
      '@aws-sdk/credential-provider-ini',
      '@aws-sdk/credential-provider-login',
      '@aws-sdk/credential-provider-process',
      '@aws-sdk/credential-provider-sso',
      '@aws-sdk/credential-provider-web-identity',
      '@aws-sdk/token-providers',
      '@aws-sdk/signature-v4-multi-region',
      '@aws-sdk/xml-builder',
      '@smithy/credential-provider-imds',
    ],
    replace: () => `
      import { fromEnv } from '@aws-sdk/credential-provider-env';
      import { doesIdentityRequireRefresh, isIdentityExpired, memoizeIdentityProvider } from '@smithy/core';
      export const defaultProvider = (options) =>
        memoizeIdentityProvider(fromEnv(options), isIdentityExpired, doesIdentityRequireRefresh);`,
  },
  {
    file: `${CONFIG}/node-config-provider/fromSharedConfigFiles.js`,
    reason: 'A function has no ~/.aws: what is not in the environment has its default, without two looks at the disk.',
    gone: [`${CONFIG}/shared-ini-file-loader`],
    replace: () => `
      import { CredentialsProviderError } from '../property-provider/CredentialsProviderError';
      export const fromSharedConfigFiles = () => () =>
        Promise.reject(new CredentialsProviderError('There are no shared configuration files.'));`,
  },
  {
    file: `${CONFIG}/config-resolver/regionConfig/getInstanceMetadataRegion.js`,
    reason: 'Lambda sets AWS_REGION; only EC2 has to ask for it.',
    gone: ['@smithy/credential-provider-imds'],
    replace: () => 'export const getInstanceMetadataRegion = () => Promise.resolve(undefined);',
  },
  {
    file: '@smithy/core/dist-es/submodules/event-streams/index.js',
    reason: 'No operation of DynamoDB or of Parameter Store streams events.',
    gone: ['@smithy/core/dist-es/submodules/event-streams/eventstream-codec'],
    replace: () => 'export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined;',
  },
  {
    file: '@aws-sdk/middleware-endpoint-discovery/dist-es/resolveEndpointDiscoveryConfig.js',
    reason: "None of DynamoDB's operations that we call looks for its endpoint; the option would only build a cache.",
    gone: ['@aws-sdk/endpoint-cache', 'mnemonist', 'obliterator'],
    replace: () => 'export const resolveEndpointDiscoveryConfig = (config) => config;',
  },
  ...errorCuts('client-dynamodb'),
  ...errorCuts('client-ssm'),
];

function errorCuts(client: Client): readonly Cut[] {
  return [
    {
      file: `@aws-sdk/${client}/dist-es/schemas/schemas_0.js`,
      reason: 'Every error of the service is registered, and so kept, whether an operation of ours can meet it or not.',
      gone: [],
      replace: (text) => withoutSideEffects(onlyRegistering(KNOWN_ERRORS[client], text)),
    },
    {
      file: `@aws-sdk/${client}/package.json`,
      reason: 'Of its own description, the client reads the version.',
      gone: [],
      replace: (text) => JSON.stringify({ version: JSON.parse(text).version }),
    },
  ];
}

/** @throws Error if one of them is not registered in the first place */
function onlyRegistering(names: readonly string[], schemas: string): string {
  const missing = new Set(names);
  const kept = schemas.replaceAll(/^n0_registry\.registerError\((\w+)\$, \w+\);\n/gm, (statement, name) =>
    missing.delete(name) ? statement : '',
  );
  if (missing.size > 0) {
    throw new Error(`The SDK does not know the error ${[...missing].join(', ')}.`);
  }
  return kept;
}

/** esbuild keeps `[{ [name]: value }]` and `64 | 0` even where nobody uses them: for all it knows, computing them does something. */
function withoutSideEffects(schemas: string): string {
  return schemas.replaceAll(/^((?:export )?var \w+\$? = )(.+?);$/gms, '$1/* @__PURE__ */ (() => ($2))();');
}

/** @param root the folder of node_modules */
export function bundleCuts(root: string): Plugin {
  return {
    name: 'bundle-cuts',
    async setup({ onLoad }) {
      // As esbuild names the modules, also where the folder is a link: else nothing would be cut, and nobody would know.
      const modules = await realpath(join(root, 'node_modules'));
      const texts = new Map<string, string>();
      for (const { file, replace } of CUTS) {
        const text = await readFile(join(modules, file), 'utf8');
        const replaced = replace(text);
        if (replaced === text) {
          throw new Error(`There is nothing to cut in ${file} any more: see scripts/bundle-cuts.ts.`);
        }
        texts.set(join(modules, file), replaced);
      }
      onLoad({ filter: /node_modules/ }, ({ path }) => {
        const contents = texts.get(path);
        return contents === undefined ? undefined : { contents, loader: path.endsWith('.json') ? 'json' : 'js' };
      });
    },
  };
}
