/**
 * Removes parts of the AWS SDK from the functions' bundles: half of the SDK is for environments other than Lambda, or for
 * operations that the functions do not call. A cut replaces the text of one file of a package. The build fails if the file does
 * not exist or the cut changes nothing in it, so that an update of the SDK cannot disable a cut unnoticed.
 */
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

export interface Cut {
  /** Path below node_modules. */
  readonly file: string;
  /** Why it is not needed. */
  readonly reason: string;
  /** Paths below node_modules of the modules that the cut removes from the bundle. */
  readonly gone: readonly string[];
  /** The file's new text. */
  readonly replace: (text: string) => string;
}

/**
 * The errors that the operations we call can return. An error that is not registered keeps its name and its `$fault`, which the
 * SDK derives from the status. Only members other than the message, such as the item of a failed condition, need registration.
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
    reason: 'Lambda and npm start pass credentials in the environment: no SSO, no role to assume.',
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
    reason: 'A function has no ~/.aws: without this cut, it would look for two files before it uses the defaults.',
    gone: [`${CONFIG}/shared-ini-file-loader`],
    replace: () => `
      import { CredentialsProviderError } from '../property-provider/CredentialsProviderError';
      export const fromSharedConfigFiles = () => () =>
        Promise.reject(new CredentialsProviderError('There are no shared configuration files.'));`,
  },
  {
    file: `${CONFIG}/config-resolver/regionConfig/getInstanceMetadataRegion.js`,
    reason: 'Lambda sets AWS_REGION; only EC2 has to look it up.',
    gone: ['@smithy/credential-provider-imds'],
    replace: () => 'export const getInstanceMetadataRegion = () => Promise.resolve(undefined);',
  },
  {
    file: '@smithy/core/dist-es/submodules/event-streams/index.js',
    reason: 'No operation of DynamoDB or Parameter Store uses event streams.',
    gone: ['@smithy/core/dist-es/submodules/event-streams/eventstream-codec'],
    replace: () => 'export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined;',
  },
  {
    file: '@aws-sdk/middleware-endpoint-discovery/dist-es/resolveEndpointDiscoveryConfig.js',
    reason: 'The DynamoDB operations that we call do not use endpoint discovery; the option would only create a cache.',
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
      reason: 'The SDK registers every error of the service, which keeps those that our operations cannot return.',
      gone: [],
      replace: (text) => withoutSideEffects(onlyRegistering(KNOWN_ERRORS[client], text)),
    },
    {
      file: `@aws-sdk/${client}/package.json`,
      reason: 'The client reads only the version from its package.json.',
      gone: [],
      replace: (text) => JSON.stringify({ version: JSON.parse(text).version }),
    },
  ];
}

/** @throws Error if one of the names is not registered */
function onlyRegistering(names: readonly string[], schemas: string): string {
  const missing = new Set(names);
  const kept = schemas.replaceAll(/^n0_registry\.registerError\((\w+)\$, \w+\);\n/gm, (statement, name) =>
    missing.delete(name) ? statement : '',
  );
  if (missing.size > 0) {
    throw new Error(
      `The SDK does not register the error ${[...missing].join(', ')}. Fix KNOWN_ERRORS in scripts/bundle-cuts.ts.`,
    );
  }
  return kept;
}

/** esbuild keeps unused `[{ [name]: value }]` and `64 | 0`, because evaluating them could have side effects. */
function withoutSideEffects(schemas: string): string {
  return schemas.replaceAll(/^((?:export )?var \w+\$? = )(.+?);$/gms, '$1/* @__PURE__ */ (() => ($2))();');
}

/** @param root the folder that contains node_modules */
export function bundleCuts(root: string): Plugin {
  return {
    name: 'bundle-cuts',
    async setup({ onLoad }) {
      // esbuild uses real paths. If the folder is a link, no path would match, and nothing would be cut.
      const modules = await realpath(join(root, 'node_modules'));
      const texts = new Map<string, string>();
      for (const { file, replace } of CUTS) {
        const text = await readFile(join(modules, file), 'utf8');
        const replaced = replace(text);
        if (replaced === text) {
          throw new Error(`The cut of ${file} changes nothing. The SDK may have changed: see scripts/bundle-cuts.ts.`);
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
