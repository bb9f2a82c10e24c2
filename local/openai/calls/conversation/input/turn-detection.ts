/** The settings by which the stand-in finds the beginning and the end of what a caller says. */

export type TurnDetection = ServerVad | SemanticVad;

interface Turns {
  /** Respond when the caller stops. */
  readonly create_response: boolean;
  /** Cancel the response in progress when the caller starts. */
  readonly interrupt_response: boolean;
}

interface ServerVad extends Turns {
  readonly type: 'server_vad';
  /** From 0 to 1. */
  readonly threshold: number;
  readonly prefix_padding_ms: number;
  readonly silence_duration_ms: number;
  readonly idle_timeout_ms: number | null;
}

interface SemanticVad extends Turns {
  readonly type: 'semantic_vad';
  readonly eagerness: string;
}

/**
 * The comments of the npm package `openai` name 500 ms as the default of `silence_duration_ms`, but the session that OpenAI's
 * reference shows has 200. Chromium's fake microphone beeps every 500 ms: at 200, every beep is an utterance.
 */
export const DEFAULT_TURN_DETECTION: ServerVad = {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 200,
  idle_timeout_ms: null,
  create_response: true,
  interrupt_response: true,
};
const DEFAULT_SEMANTIC: SemanticVad = {
  type: 'semantic_vad',
  eagerness: 'auto',
  create_response: true,
  interrupt_response: true,
};

/** Completes settings that a client sent. */
export function withDefaults(sent: TurnDetection): TurnDetection {
  return sent.type === 'semantic_vad' ? { ...DEFAULT_SEMANTIC, ...sent } : { ...DEFAULT_TURN_DETECTION, ...sent };
}

/** How the stand-in detects speech: by loudness. It cannot tell what a pause means, so semantic detection is no different. */
export interface Thresholds {
  /** The least amplitude of speech, in units of a 16-bit sample. */
  readonly loud: number;
  /** This much before the first loud sound belongs to the speech. */
  readonly paddingMs: number;
  /** This much silence ends the speech. */
  readonly silenceMs: number;
}

/** OpenAI's threshold is a probability. Here, its default of 0.5 is an amplitude of 1,000. */
const LOUD_PER_THRESHOLD = 2_000;

export function thresholdsOf(detection: TurnDetection): Thresholds {
  const vad = detection.type === 'server_vad' ? detection : DEFAULT_TURN_DETECTION;
  return {
    loud: vad.threshold * LOUD_PER_THRESHOLD,
    paddingMs: vad.prefix_padding_ms,
    silenceMs: vad.silence_duration_ms,
  };
}
