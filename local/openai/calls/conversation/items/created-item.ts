/**
 * An item that a client creates: its validation, and the form in which it is kept. The fields of each kind of item are those of
 * the npm package `openai`; what a message may contain depends on its role.
 */

import type {
  RealtimeConversationItemFunctionCall,
  RealtimeConversationItemFunctionCallOutput,
  RealtimeConversationItemUserMessage,
  RealtimeMcpApprovalRequest,
  RealtimeMcpApprovalResponse,
  RealtimeMcpListTools,
  RealtimeMcpToolCall,
} from 'openai/resources/realtime/realtime.js';
import { invalidValue, missingParameter, type Refusal } from '../../../api/errors.ts';
import { newId } from '../../../api/ids.ts';
import { refusalOfMissing, refusalOfShape, type ShapeOf } from '../../../api/object-shapes.ts';
import type { AudioFormat } from '../../audio-formats.ts';
import { contentOf } from './created-content.ts';
import { type Item, NO_AUDIO, type StoredItem } from './items.ts';

const COMMON = { type: ['string'], id: ['string', 'null'], object: ['string'], status: ['string', 'null'] } as const;
const MCP = { type: ['string'], id: ['string', 'null'] } as const;

const KINDS = {
  message: {
    shape: { ...COMMON, role: ['string'], content: ['array'] } satisfies ShapeOf<RealtimeConversationItemUserMessage>,
    required: ['role', 'content'],
  },
  function_call: {
    shape: {
      ...COMMON,
      call_id: ['string', 'null'],
      name: ['string'],
      arguments: ['string'],
    } satisfies ShapeOf<RealtimeConversationItemFunctionCall>,
    required: ['name', 'arguments'],
  },
  function_call_output: {
    shape: {
      ...COMMON,
      call_id: ['string'],
      output: ['string'],
    } satisfies ShapeOf<RealtimeConversationItemFunctionCallOutput>,
    required: ['call_id', 'output'],
  },
  mcp_approval_response: {
    shape: {
      ...MCP,
      approval_request_id: ['string'],
      approve: ['boolean'],
      reason: ['string', 'null'],
    } satisfies ShapeOf<RealtimeMcpApprovalResponse>,
    required: ['approval_request_id', 'approve'],
  },
  mcp_approval_request: {
    shape: {
      ...MCP,
      arguments: ['string'],
      name: ['string'],
      server_label: ['string'],
    } satisfies ShapeOf<RealtimeMcpApprovalRequest>,
    required: ['arguments', 'name', 'server_label'],
  },
  mcp_list_tools: {
    shape: { ...MCP, server_label: ['string'], tools: ['array'] } satisfies ShapeOf<RealtimeMcpListTools>,
    required: ['server_label', 'tools'],
  },
  mcp_call: {
    shape: {
      ...MCP,
      arguments: ['string'],
      name: ['string'],
      server_label: ['string'],
      approval_request_id: ['string', 'null'],
      error: ['object', 'null'],
      output: ['string', 'null'],
    } satisfies ShapeOf<RealtimeMcpToolCall>,
    required: ['arguments', 'name', 'server_label'],
  },
} as const;

export type CreatedItem = { readonly stored: StoredItem } | { readonly refusal: Refusal };

/** @param path where the item is in the event, such as `item` or `response.input[0]` */
export function createdItem(sent: unknown, path: string, format: AudioFormat): CreatedItem {
  const given: Readonly<Record<string, unknown>> = typeof sent === 'object' ? { ...sent } : {};
  const type = given['type'];
  if (type === undefined) {
    return { refusal: missingParameter(`${path}.type`) };
  }
  if (typeof type !== 'string' || !Object.hasOwn(KINDS, type)) {
    return { refusal: invalidValue(`${path}.type`, type, Object.keys(KINDS).map(quoted).join(', ')) };
  }
  const { shape, required } = KINDS[type as keyof typeof KINDS];
  const refusal = refusalOfShape(given, shape, path) ?? refusalOfMissing(given, required, path);
  if (refusal !== undefined) {
    return { refusal };
  }
  const id = given['id'] ?? newId('item');
  if (type !== 'message') {
    // The fields were checked above.
    return {
      stored: { item: { object: 'realtime.item', status: 'completed', ...given, id } as Item, audio: NO_AUDIO },
    };
  }
  const content = contentOf(given['role'], given['content'], path, format);
  return 'refusal' in content
    ? content
    : {
        stored: {
          item: { object: 'realtime.item', status: 'completed', ...given, id, content: content.parts } as Item,
          audio: content.audio,
        },
      };
}

function quoted(text: string): string {
  return `'${text}'`;
}
