/** Mail when an alarm goes off. A thousand a month are free. */

import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/** @param mail is asked by AWS whether it wants them; until it says yes, none arrive */
export function createAlarmTopic(scope: Construct, mail: string): Topic {
  const topic = new Topic(scope, 'AlarmTopic', { displayName: 'Ephemeral Key Issuer', enforceSSL: true });
  // With a policy of its own, which enforceSSL makes, a topic no longer takes what the account's alarms send.
  topic.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sns:Publish'],
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  topic.addSubscription(new EmailSubscription(mail));
  Validations.of(topic).acknowledge({
    id: 'AwsSolutions-SNS2',
    reason:
      'Alarms cannot publish under the key that AWS manages for SNS, and a key of our own costs a dollar a month. What is ' +
      'sent are names and numbers of alarms, and it leaves by mail.',
  });
  return topic;
}
