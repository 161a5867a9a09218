"use client"

export { Defect, type Failure } from "./Cell.ts"
export { TollgateProvider, type TollgateProviderProps, useClient } from "./TollgateProvider.ts"
export { type CallState, useCall, type UseCall } from "./useCall.ts"
export { type LoadState, useLoad, type UseLoad, type UseLoadOptions } from "./useLoad.ts"
export { type StreamState, useStream, type UseStream } from "./useStream.ts"
export { type TaskState, useTask, type UseTask } from "./useTask.ts"
export { type UsageState, useUsage, type UseUsage, type UseUsageOptions } from "./useUsage.ts"
