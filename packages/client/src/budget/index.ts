export { budget, type BudgetReport } from "./wait.ts"
export { wait } from "./wait.ts"
