import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { TABLE_ACTIONS } from '../../lib/permissions.ts';
import { issuerIn, newStack, propertiesOf, templateOf } from './synth.ts';

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** Of the one policy, the statement about a service. */
function statementOn(template: Template, service: string): Statement {
  const statements: Statement[] = propertiesOf(template, 'AWS::IAM::Policy').PolicyDocument.Statement;
  const [statement, ...others] = statements.filter(({ Action }) => [Action].flat().every((a) => a.startsWith(service)));
  if (statement === undefined || others.length > 0) {
    throw new Error(`expected one statement on ${service}`);
  }
  return statement;
}

function actionsOn(template: Template, service: string): string[] {
  return [statementOn(template, service).Action].flat().sort();
}

/** An ARN as text, with `<Name>` for what CloudFormation fills in. */
function arn(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/\{"Ref":"(?:AWS::)?(\w+)"\}/g, '<$1>')
    .replaceAll(/[",[\]]|\{"Fn::Join":|\}/g, '');
}

describe('the function may', () => {
  it('do four things with its table, and nothing to any other', () => {
    const template = templateOf();
    const [table] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
    expect(actionsOn(template, 'dynamodb')).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
    ]);
    expect([statementOn(template, 'dynamodb').Resource].flat()).toEqual([{ 'Fn::GetAtt': [table, 'Arn'] }]);
  });

  it.each([
    ['/ephemeral-key-issuer/openai-api-key', 'parameter/ephemeral-key-issuer/openai-api-key'],
    ['openai-api-key', 'parameter/openai-api-key'],
    ['/demo/key:3', 'parameter/demo/key'],
  ])('read the one parameter %s', (keyParameterName, resource) => {
    const template = templateOf({ keyParameterName });
    expect(actionsOn(template, 'ssm')).toEqual(['ssm:GetParameter']);
    expect(arn(statementOn(template, 'ssm').Resource)).toBe(`arn:<Partition>:ssm:<Region>:<AccountId>:${resource}`);
  });

  it('read a parameter that another account shares, by its ARN', () => {
    const keyParameterName = 'arn:aws:ssm:eu-west-1:111122223333:parameter/shared/key';
    expect(statementOn(templateOf({ keyParameterName }), 'ssm').Resource).toBe(keyParameterName);
  });

  it('write to its own log', () => {
    const template = templateOf();
    expect(actionsOn(template, 'logs')).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
    const [logGroup] = Object.keys(template.findResources('AWS::Logs::LogGroup'));
    for (const resource of [statementOn(template, 'logs').Resource].flat()) {
      expect(JSON.stringify(resource)).toContain(`"${logGroup}"`);
    }
  });

  it('do nothing else: no managed policy, no other statement, no wildcard', () => {
    const template = templateOf();
    const statements: Statement[] = propertiesOf(template, 'AWS::IAM::Policy').PolicyDocument.Statement;
    expect(statements).toHaveLength(3);
    expect(JSON.stringify(statements)).not.toContain('*');
    expect(propertiesOf(template, 'AWS::IAM::Role')).not.toHaveProperty('ManagedPolicyArns');
  });
});

it('every DynamoDB command in the function has its permission, and there is no other permission', () => {
  const used = ['lambda', 'limiter'].flatMap(commandsIn).map((command) => `dynamodb:${command}`);
  expect(Object.keys(TABLE_ACTIONS).toSorted()).toEqual([...new Set(used)].toSorted());
});

it('what only operators do to limits is in no file of the function', () => {
  const files = readdirSync('lambda', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const sources = files.map((file) => readFileSync(join('lambda', file), 'utf8'));
  expect(sources.filter((source) => /\b(forget|readLimits)\b/.test(source))).toEqual([]);
});

/** Deletes what is counted, which the function never does. */
const OPERATORS_OWN = join('limiter', 'standing.ts');

/** Commands that a folder's files import from the DynamoDB client, such as `UpdateItem`. */
function commandsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && join(folder, file) !== OPERATORS_OWN)
    .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(IMPORT)])
    .flatMap(([, names = '']) => [...names.matchAll(/(\w+)Command\b/g)].map(([, command = '']) => command));
}

const IMPORT = /import \{([^}]*)\} from '@aws-sdk\/client-dynamodb'/g;

it('an operator may look, pause and block, and reads no key', () => {
  const stack = newStack();
  const operator = new Role(stack, 'Operator', { assumedBy: new AccountRootPrincipal() });
  issuerIn(stack).grantOperate(operator);
  const policies = Object.entries(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  const [, policy] = policies.find(([id]) => id.startsWith('Operator')) ?? [];
  const [statement, ...others] = policy?.['Properties'].PolicyDocument.Statement ?? [];
  expect(others).toEqual([]);
  expect(statement.Action).toEqual(
    expect.arrayContaining(['dynamodb:PutItem', 'dynamodb:DeleteItem', 'dynamodb:Scan']),
  );
  expect(JSON.stringify(statement)).not.toContain('ssm');
});
