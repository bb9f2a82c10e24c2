/** What the function may do in AWS: these actions, on one table, one parameter and one log. Nothing else. */

import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** Each with its reason. An action that the code needs and this list lacks shows only after a deploy. */
export const TABLE_ACTIONS = {
  'dynamodb:GetItem': 'salt and switch at INIT; a counter, where a refusal did not bring it along',
  'dynamodb:BatchGetItem': 'switch, block and replay in one consistent read',
  'dynamodb:PutItem': 'the salt, made once',
  'dynamodb:UpdateItem': 'to reserve and to release; to lock and to remember a replay',
} as const;

/** What somebody needs who runs `issuer` on a deployed stack, and what for. An operator's role, not the function's. */
export const OPERATOR_ACTIONS = {
  stack: { 'cloudformation:DescribeStacks': 'its outputs, by which every command finds the rest' },
  function: {
    'lambda:GetFunctionConfiguration': 'the limits that are in force',
    'lambda:GetFunctionConcurrency': 'what pause --hard takes away, and whether it has, for status',
    'lambda:PutFunctionConcurrency': 'pause --hard, and resume after it',
    'lambda:DeleteFunctionConcurrency': 'resume, where none was reserved',
  },
  table: {
    'dynamodb:GetItem': 'the switch, the salt',
    'dynamodb:BatchGetItem': 'the counters',
    'dynamodb:PutItem': 'block, unblock',
    'dynamodb:UpdateItem': 'pause, resume',
    'dynamodb:DeleteItem': 'forget',
  },
  log: { 'logs:StartQuery': 'what happened in the last day' },
  anything: { 'logs:GetQueryResults': 'the same; IAM knows no narrower resource for it' },
} as const;

interface RoleSettings {
  readonly table: Table;
  readonly logGroup: ILogGroup;
  readonly keyParameterName: string;
}

/**
 * Not AWSLambdaBasicExecutionRole: it lets a function write to, and create, any log group of the account. A group that
 * was deleted with the stack would be back with the last line that arrives.
 */
export function createFunctionRole(scope: Construct, { table, logGroup, keyParameterName }: RoleSettings): Role {
  const role = new Role(scope, 'FunctionRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  table.grant(role, ...Object.keys(TABLE_ACTIONS));
  grantReadKey(scope, role, keyParameterName);
  grantWriteLog(role, logGroup);
  return role;
}

export function grantWriteLog(role: Role, logGroup: ILogGroup): void {
  logGroup.grant(role, 'logs:CreateLogStream', 'logs:PutLogEvents');
}

export interface Operated {
  readonly table: Table;
  readonly function: IFunction;
  readonly logGroup: ILogGroup;
}

export function grantOperate(grantee: IGrantable, { table, logGroup, ...operated }: Operated): void {
  const stack = Stack.of(table);
  const stackArn = stack.formatArn({
    service: 'cloudformation',
    resource: 'stack',
    resourceName: `${stack.stackName}/*`,
  });
  const allow = (actions: object, ...resourceArns: string[]) =>
    Grant.addToPrincipal({ grantee, actions: Object.keys(actions), resourceArns });

  table.grant(grantee, ...Object.keys(OPERATOR_ACTIONS.table));
  logGroup.grant(grantee, ...Object.keys(OPERATOR_ACTIONS.log));
  allow(OPERATOR_ACTIONS.function, operated.function.functionArn);
  allow(OPERATOR_ACTIONS.stack, stackArn);
  allow(OPERATOR_ACTIONS.anything, '*');
}

/** The key aws/ssm decrypts for whoever may read the parameter: no kms action is needed. */
function grantReadKey(scope: Construct, role: Role, keyParameterName: string): void {
  role.addToPolicy(
    new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [parameterArn(scope, keyParameterName)] }),
  );
}

/** `/a/key`, `key`, `/a/key:3` (a version) and a whole ARN (a parameter shared by another account) all name one. */
function parameterArn(scope: Construct, name: string): string {
  if (name.startsWith('arn:')) {
    return name;
  }
  return Stack.of(scope).formatArn({
    service: 'ssm',
    resource: 'parameter',
    resourceName: name.replace(/^\//, '').replace(/:[^/]*$/, ''),
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
}
