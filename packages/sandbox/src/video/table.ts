import type { Handler } from "../BilledAnswer.ts"
import { create } from "./create.ts"
import { poll, pollWithoutId } from "./poll.ts"
import { serve } from "./serve.ts"

/** By method and path. */
export const table: Readonly<Record<string, Handler>> = {
  "POST /apis/v1/services/aigc/video-generation/video-synthesis": create,
  "GET /apis/v1/services/aigc/tasks": pollWithoutId,
  "GET /apis/v1/services/aigc/tasks/{task_id}": poll,
  "GET /videos/{file}": serve
}
