/** Region and credentials of the local stack. DynamoDB Local and the SSM stand-in accept any; the SDK requires some. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
export const LOCAL_REGION = 'us-east-1';
export const LOCAL_ACCOUNT = '000000000000';
