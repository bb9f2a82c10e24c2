import { describe, expect, it } from 'vitest';
import { FUNCTION_TIMEOUT_MS } from '../../../contract/times.ts';
import { complaintAbout, propertiesOf, templateOf } from '../synth.ts';

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

  it('has the time that contract/ gives it', () => {
    expect(propertiesOf(templateOf(), FUNCTION).Timeout).toBe(FUNCTION_TIMEOUT_MS / 1000);
  });

  it('serves five requests at once by default', () => {
    expect(propertiesOf(templateOf(), FUNCTION).ReservedConcurrentExecutions).toBe(5);
  });

  it('serves as many at once as it is told', () => {
    expect(propertiesOf(templateOf({ reservedConcurrency: 12 }), FUNCTION).ReservedConcurrentExecutions).toBe(12);
  });

  it('takes nothing from the account when the cap is off', () => {
    const properties = propertiesOf(templateOf({ reservedConcurrency: 'off' }), FUNCTION);
    expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it.each([0, -1, 2.5, Number.NaN, 10_001])('refuses a cap of %d, showing a right one', (reservedConcurrency) => {
    expect(complaintAbout({ reservedConcurrency })).toMatch(
      /^reservedConcurrency: .*whole number from 1 to 10000, or "off".*: 5$/,
    );
  });
});

describe("the function's log", () => {
  it('is a group of its own, kept for 30 days by default, and gone with the stack', () => {
    const template = templateOf();
    template.hasResource(LOG_GROUP, { Properties: { RetentionInDays: 30 }, DeletionPolicy: 'Delete' });
    const [logGroup] = Object.keys(template.findResources(LOG_GROUP));
    expect(propertiesOf(template, FUNCTION).LoggingConfig.LogGroup).toEqual({ Ref: logGroup });
  });

  it('passes lines on as the function wrote them, so that embedded metrics stay at the top of a line', () => {
    expect(propertiesOf(templateOf(), FUNCTION).LoggingConfig.LogFormat).toBe('Text');
  });

  it('is kept as long as it is told', () => {
    expect(propertiesOf(templateOf({ logRetentionDays: 7 }), LOG_GROUP).RetentionInDays).toBe(7);
  });

  it.each([0, 8, 9999])('refuses to be kept for %d days, naming what CloudWatch knows', (logRetentionDays) => {
    expect(complaintAbout({ logRetentionDays })).toMatch(
      /^logRetentionDays: .*CloudWatch knows 1, 3, 5, 7, 14, 30,.*: 30$/,
    );
  });
});

describe('the function URL', () => {
  it('obeys signed calls only', () => {
    expect(propertiesOf(templateOf(), 'AWS::Lambda::Url').AuthType).toBe('AWS_IAM');
  });

  it('leaves CORS to the edge', () => {
    expect(propertiesOf(templateOf(), 'AWS::Lambda::Url')).not.toHaveProperty('Cors');
  });
});
