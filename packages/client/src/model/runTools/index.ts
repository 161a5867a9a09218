export {
  AnswerTruncated,
  BudgetSpent,
  ModelCallFailed,
  type Resume,
  StepLimitReached,
  ToolFailed,
  type ToolsError
} from "./errors.ts"
export { runTools, toolSteps } from "./runTools.ts"
export type { Step, ToolsResult, ToolUse } from "./Step.ts"
export type { ToolsOptions } from "./steps.ts"
export { tool, type Tool, type ToolContext } from "./Tool.ts"
