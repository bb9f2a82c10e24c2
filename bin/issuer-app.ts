/** The app that `cdk synth` and `cdk deploy` run: context in, one stack out, checked by cdk-nag. */

import { App, type AppProps, Validations } from 'aws-cdk-lib';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { AwsSolutionsChecks } from 'cdk-nag';
import { propsFromContext } from '../lib/configuration/context.ts';
import { IssuerStack } from '../lib/issuer-stack.ts';

/**
 * @param props for tests; the CDK command line hands over context and output folder by itself
 * @throws ConfigurationError if the context is wrong
 */
export function issuerApp({ context, ...props }: AppProps = {}): App {
  const app = new App({ ...props, context: { ...recommendedFlags, ...context } });
  // A finding that nobody acknowledged fails the synth. The acknowledgements stand beside the resources, in lib/.
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  new IssuerStack(app, propsFromContext(app.node.getAllContext()));
  return app;
}
