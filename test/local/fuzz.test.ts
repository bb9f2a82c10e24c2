import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../contract/problems.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { type LocalFunction, startFunction } from '../../local/function.ts';
