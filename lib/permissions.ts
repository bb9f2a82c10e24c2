/** What the function may do in AWS: these actions, on one table, one parameter and one log. Nothing else. */

import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** Each with its reason. An action that the code needs and this list lacks shows only after a deploy. */
export const TABLE_ACTIONS = {
  'dynamodb:GetItem': 'salt and switch at INIT; a counter, where a refusal did not bring it along',
  'dynamodb:BatchGetItem': 'switch, block and replay in one consistent read',
  'dynamodb:PutItem': 'the salt, made once',
  'dynamodb:UpdateItem': 'to reserve and to release; to lock and to remember a replay',
} as const;

/** What somebody needs who pauses, blocks and looks: an operator's role, not the function's. */
const OPERATOR_ACTIONS = [
  'dynamodb:DescribeTable',
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:Scan',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
] as const;

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

export function grantOperate(table: Table, grantee: IGrantable): void {
  table.grant(grantee, ...OPERATOR_ACTIONS);
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
