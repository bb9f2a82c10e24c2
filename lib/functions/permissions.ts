/** What the function may do in AWS: these actions, on one table, one parameter and one log group, and nothing else. */

import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** Each action with its reason. If the code needs an action that is missing here, only a deployment shows it. */
export const TABLE_ACTIONS = {
  'dynamodb:GetItem': 'salt and switch at INIT; a counter, if a refusal did not return it',
  'dynamodb:BatchGetItem': 'switch, block and replay in one consistent read',
  'dynamodb:PutItem': 'the salt, created once',
  'dynamodb:UpdateItem': 'to reserve and to release; to lock and to store a replay',
} as const;

/** The actions that `issuer` needs on a deployed stack, each with its reason. For an operator's role, not the function's. */
export const OPERATOR_ACTIONS = {
  stack: { 'cloudformation:DescribeStacks': 'the outputs, by which every command finds the other resources' },
  function: {
    'lambda:GetFunctionConfiguration': 'the limits in force',
    'lambda:GetFunctionConcurrency': 'the current cap, for pause --hard and for status',
    'lambda:PutFunctionConcurrency': 'pause --hard, and resume after it',
    'lambda:DeleteFunctionConcurrency': 'resume, if no concurrency was reserved before',
  },
  table: {
    'dynamodb:GetItem': 'the switch, the salt',
    'dynamodb:BatchGetItem': 'the counters',
    'dynamodb:PutItem': 'block, unblock',
    'dynamodb:UpdateItem': 'pause, resume',
    'dynamodb:DeleteItem': 'forget',
  },
  log: { 'logs:StartQuery': 'the events of the last 24 hours' },
  anyResource: { 'logs:GetQueryResults': 'the same; IAM supports no narrower resource for it' },
} as const;

interface RoleSettings {
  readonly table: Table;
  readonly logGroup: ILogGroup;
  readonly keyParameterName: string;
}

/**
 * Does not use AWSLambdaBasicExecutionRole, which lets a function write to, and create, any log group of the account. A log group
 * that was deleted with the stack would be created again by a line that arrives late.
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

export interface OperatedResources {
  readonly table: Table;
  readonly function: IFunction;
  readonly logGroup: ILogGroup;
}

export function grantOperate(grantee: IGrantable, { table, logGroup, ...operated }: OperatedResources): void {
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
  allow(OPERATOR_ACTIONS.anyResource, '*');
}

/** The AWS managed key aws/ssm decrypts for every principal that may read the parameter, so no kms action is needed. */
function grantReadKey(scope: Construct, role: Role, keyParameterName: string): void {
  role.addToPolicy(
    new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [parameterArn(scope, keyParameterName)] }),
  );
}

/** Accepts `/a/key`, `key`, `/a/key:3` (a version) and a complete ARN (a parameter shared by another account). */
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
