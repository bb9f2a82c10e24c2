import { describe, expect, it } from 'vitest';
import { FUNCTION_TIMEOUT_MS } from '../../../contract/times.ts';
import { errorFrom, propertiesOf, templateOf } from '../synth.ts';

const FUNCTION = 'AWS::Lambda::Function';
const LOG_GROUP = 'AWS::Logs::LogGroup';

describe('the function', () => {
  it('runs the bundle on Node 24 and arm64', () => {
    expect(propertiesOf(templateOf(), FUNCTION)).toMatchObject({
      Handler: 'index.handler',
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
    });
  });

  it('has the timeout that contract/ defines', () => {
    expect(propertiesOf(templateOf(), FUNCTION).Timeout).toBe(FUNCTION_TIMEOUT_MS / 1000);
  });

  it('processes five requests at a time by default', () => {
    expect(propertiesOf(templateOf(), FUNCTION).ReservedConcurrentExecutions).toBe(5);
  });

  it('processes as many requests at a time as reservedConcurrency says', () => {
    expect(propertiesOf(templateOf({ reservedConcurrency: 12 }), FUNCTION).ReservedConcurrentExecutions).toBe(12);
  });

  it('reserves no concurrency if the cap is off', () => {
    const properties = propertiesOf(templateOf({ reservedConcurrency: 'off' }), FUNCTION);
    expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it.each([0, -1, 2.5, Number.NaN, 10_001])('rejects a cap of %d, and shows a valid one', (reservedConcurrency) => {
    expect(errorFrom({ reservedConcurrency })).toMatch(
      /^reservedConcurrency: .*whole number from 1 to 10000, or "off".*: 5$/,
    );
  });
});

describe("the function's log", () => {
  it('is a log group of its own, kept for 30 days by default, and deleted with the stack', () => {
    const template = templateOf();
    template.hasResource(LOG_GROUP, { Properties: { RetentionInDays: 30 }, DeletionPolicy: 'Delete' });
    const [logGroup] = Object.keys(template.findResources(LOG_GROUP));
    expect(propertiesOf(template, FUNCTION).LoggingConfig.LogGroup).toEqual({ Ref: logGroup });
  });

  it('keeps lines as the function wrote them, so that embedded metrics stay at the top level of a line', () => {
    expect(propertiesOf(templateOf(), FUNCTION).LoggingConfig.LogFormat).toBe('Text');
  });

  it('is kept for logRetentionDays', () => {
    expect(propertiesOf(templateOf({ logRetentionDays: 7 }), LOG_GROUP).RetentionInDays).toBe(7);
  });

  it.each([0, 8, 9999])(
    'rejects a retention of %d days, and lists what CloudWatch Logs supports',
    (logRetentionDays) => {
      expect(errorFrom({ logRetentionDays })).toMatch(
        /^logRetentionDays: .*CloudWatch Logs supports 1, 3, 5, 7, 14, 30,.*: 30$/,
      );
    },
  );
});

describe('the function URL', () => {
  it('accepts only signed requests', () => {
    expect(propertiesOf(templateOf(), 'AWS::Lambda::Url').AuthType).toBe('AWS_IAM');
  });

  it('leaves CORS to the edge', () => {
    expect(propertiesOf(templateOf(), 'AWS::Lambda::Url')).not.toHaveProperty('Cors');
  });
});
