/** Who and where the local stack claims to be. DynamoDB Local and the SSM stand-in take anybody; the SDK insists. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
export const LOCAL_REGION = 'us-east-1';
