import type { Progress } from "./progress.ts"

/** What the message of a tool call says beside the tool and its input. */
export interface CallMessage {
  /** The revision of MCP that it is written in. */
  readonly revision: string
  readonly metadata: unknown
  readonly progress: Progress
}
