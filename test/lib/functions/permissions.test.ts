import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { TABLE_ACTIONS } from '../../../lib/functions/permissions.ts';
import { issuerIn, newStack, propertiesOf, templateOf } from '../synth.ts';

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** @returns the statement about one service in the template's only policy */
function statementOn(template: Template, service: string): Statement {
  const statements: Statement[] = propertiesOf(template, 'AWS::IAM::Policy').PolicyDocument.Statement;
  const [statement, ...others] = statements.filter(({ Action }) => [Action].flat().every((a) => a.startsWith(service)));
  if (statement === undefined || others.length > 0) {
    throw new Error(`expected one statement on ${service}, found ${others.length + (statement === undefined ? 0 : 1)}`);
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
  it('use four actions on its own table, and none on any other', () => {
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
  ])('read only the parameter %s', (keyParameterName, resource) => {
    const template = templateOf({ keyParameterName });
    expect(actionsOn(template, 'ssm')).toEqual(['ssm:GetParameter']);
    expect(arn(statementOn(template, 'ssm').Resource)).toBe(`arn:<Partition>:ssm:<Region>:<AccountId>:${resource}`);
  });

  it('read a parameter that another account shares, given as an ARN', () => {
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

it('every DynamoDB command of the function has a permission, and there are no other permissions', () => {
  const files = ['lambda', 'limiter'].flatMap(filesIn).filter((file) => file !== OPERATORS_ONLY);
  const used = files.flatMap(awsActionsIn).filter((action) => action.startsWith('dynamodb:'));
  expect(Object.keys(TABLE_ACTIONS).toSorted()).toEqual([...new Set(used)].toSorted());
});

it('no file of the function uses what only operators do to limits', () => {
  const sources = filesIn('lambda').map((file) => readFileSync(file, 'utf8'));
  expect(sources.filter((source) => /\b(forget|readLimits)\b/.test(source))).toEqual([]);
});

/** Deletes counters. The function never does. */
const OPERATORS_ONLY = join('limiter', 'standing.ts');

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
}

/** @returns the actions of the commands that a file imports from the SDK's clients, such as `dynamodb:UpdateItem` */
function awsActionsIn(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].flatMap(([, names = '', client = '']) =>
    [...names.matchAll(/(\w+)Command\b/g)].map(([, command]) => `${SERVICES[client] ?? client}:${command}`),
  );
}

const IMPORT = /import \{([^}]*)\} from '@aws-sdk\/client-([a-z-]+)'/g;
/** Services whose IAM prefix differs from the SDK's name. */
const SERVICES: Readonly<Record<string, string>> = { 'cloudwatch-logs': 'logs' };

function operatorsStatements(): Statement[] {
  const stack = newStack();
  const operator = new Role(stack, 'Operator', { assumedBy: new AccountRootPrincipal() });
  issuerIn(stack).grantOperate(operator);
  const policies = Object.entries(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  const [, policy] = policies.find(([id]) => id.startsWith('Operator')) ?? [];
  return policy?.['Properties'].PolicyDocument.Statement ?? [];
}

describe('an operator may', () => {
  it('use the actions of the issuer commands, and no others; reading the OpenAI key is not among them', () => {
    const fromTheFunction = ['gate/kill-switch.ts', 'gate/block.ts', 'visitor/salt.ts'].map((file) =>
      join('lambda', file),
    );
    const doctor = ['doctor.ts', 'certificate.ts'].map((file) => join('operator/commands', file));
    const files = [...filesIn('operator'), ...filesIn('limiter'), ...fromTheFunction].filter(
      (file) => !doctor.includes(file),
    );
    const used = files.flatMap(awsActionsIn).filter((action) => !action.startsWith('ssm:'));

    expect(
      operatorsStatements()
        .flatMap(({ Action }) => Action)
        .toSorted(),
    ).toEqual([...new Set(used)].toSorted());
  });

  it('use them only on this stack, its function, its table and its log', () => {
    const resources = Object.fromEntries(
      operatorsStatements().map(({ Action, Resource }) => [[Action].flat()[0], arn(Resource)]),
    );
    expect(resources).toEqual({
      'dynamodb:GetItem': expect.stringMatching(/Fn::GetAtt:IssuerTable\w+:?Arn/),
      'logs:StartQuery': expect.stringMatching(/Fn::GetAtt:IssuerFunctionLog\w+:?Arn/),
      'lambda:GetFunctionConfiguration': expect.stringMatching(/Fn::GetAtt:IssuerFunction\w+:?Arn/),
      'cloudformation:DescribeStacks': expect.stringMatching(/:stack\/\w+\/\*$/),
      'logs:GetQueryResults': '*',
    });
  });
});
