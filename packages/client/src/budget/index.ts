export { budget, type BudgetReport } from "./budget.ts"
export { wait } from "./wait.ts"
