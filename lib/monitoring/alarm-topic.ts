/** Sends mail when an alarm goes off. A thousand mails a month are free. */

import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/** @param mail an email address; it receives no alarms until its owner confirms the subscription message that AWS sends */
export function createAlarmTopic(scope: Construct, mail: string): Topic {
  const topic = new Topic(scope, 'AlarmTopic', { displayName: 'Ephemeral Key Issuer', enforceSSL: true });
  // enforceSSL gives the topic a policy of its own. With such a policy, it no longer accepts messages from the account's alarms.
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
      'Alarms cannot publish to a topic that is encrypted with the AWS managed key for SNS, and a key of our own costs a dollar ' +
      'a month. The messages contain names and numbers of alarms, and are sent by mail.',
  });
  return topic;
}
