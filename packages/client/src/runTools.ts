export {
  AnswerTruncated,
  BudgetSpent,
  ModelCallFailed,
  type Resume,
  StepLimitReached,
  ToolFailed,
  type ToolsError
} from "./runTools/errors.ts"
export { runTools, toolSteps } from "./runTools/runTools.ts"
export type { Step, ToolsResult, ToolUse } from "./runTools/Step.ts"
export type { ToolsOptions } from "./runTools/steps.ts"
export { tool, type Tool, type ToolContext } from "./runTools/Tool.ts"
