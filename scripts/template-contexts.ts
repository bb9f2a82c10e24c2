/**
 * Contexts that together use every setting of docs/configuration.md, and each optional part of the deployment with and without.
 * cfn-lint checks the template of each. A setting that is documented and missing here fails a test.
 */

const DOMAIN = {
  domainName: 'demo.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012',
};

/** By a name that is also a folder's name. A setting that is not given has its default. */
export const TEMPLATE_CONTEXTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  defaults: {},
  'other-values': {
    keyParameterName: '/demo/openai-api-key',
    openaiBaseUrl: 'https://eu.example.com/v1',
    keyTtlSeconds: 120,
    session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' },
    clientLimits: '3/1m,10/1h',
    globalLimits: '100/1d',
    ipv6Prefix: 64,
    allowedOrigins: ['https://www.example.com'],
    tableName: 'ephemeral-keys',
    logRetentionDays: 7,
    codeFolder: 'dist/lambda',
  },
  'every-alarm-by-mail': {
    limiterFailureMode: 'open',
    guardrails: { keysPerHour: 300 },
    alarmMail: 'you@example.com',
  },
  'no-alarms-no-dashboard': { guardrails: false, dashboard: false },
  'provisioned-table-no-cap': {
    tableCapacity: { provisioned: { readUnits: 10, writeUnits: 10 } },
    reservedConcurrency: 'off',
  },
  'no-page': { page: false },
  'own-distribution': { createDistribution: false, page: false },
  'custom-domain': DOMAIN,
  'custom-domain-in-route-53': { ...DOMAIN, hostedZoneId: 'Z0123456789ABCDEFGHIJ', hostedZoneName: 'example.com' },
};
