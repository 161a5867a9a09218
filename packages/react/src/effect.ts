"use client"

// The same hooks for functions that return effects and streams, on a client that is a layer.

import {
  type Client,
  onPromises,
  promises,
  usage,
  type UsageError,
  type UsageInput,
  videoCreate,
  type VideoCreateError,
  videoProgress
} from "@tollgate/client"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { createContext, createElement, type ReactElement, type ReactNode, useContext, useEffect, useMemo } from "react"
import { missing } from "./TollgateProvider.ts"
import { type UseCall, useCalling } from "./useCall.ts"
import { type UseLoad, useLoad as useLoading, type UseLoadOptions } from "./useLoad.ts"
import { type UseStream, useStreaming } from "./useStream.ts"
import { type UseTask, useVideo } from "./useTask.ts"
import { type UseUsage, useReport } from "./useUsage.ts"

export { Defect } from "./Cell.ts"
export type { CallState, UseCall } from "./useCall.ts"
export type { LoadState, UseLoad, UseLoadOptions } from "./useLoad.ts"
export type { StreamState, UseStream } from "./useStream.ts"
export type { TaskState, UseTask } from "./useTask.ts"
export type { UsageState, UseUsage } from "./useUsage.ts"

type AnyFunction = Parameters<typeof onPromises>[0][string]

interface Holder {
  /** The promise of a function, and of its resumed calls if it is one of the client. */
  readonly promised: (f: AnyFunction) => { readonly call: never; readonly resume: never }
  /** Interrupts what runs and releases the client. The next call builds it again: strict mode unmounts and mounts. */
  readonly close: () => void
}

const makeHolder = (layer: Layer.Layer<Client>): Holder => {
  let client: Parameters<ReturnType<typeof onPromises>>[0] | undefined
  const facesOf = (f: AnyFunction) => onPromises({ f })((client ??= promises({}, layer)))
  const hasResume = (f: AnyFunction) => "operation" in f
  return {
    promised: (f) => ({
      call: ((...given: [never, never]) => facesOf(f).f(...given)) as never,
      resume: (hasResume(f)
        ? (...given: [never, never]) =>
            (facesOf(f).resume as Record<string, (...given: [never, never]) => unknown>)["f"]?.(...given)
        : undefined) as never
    }),
    close: () => {
      void client?.close()
      client = undefined
    }
  }
}

const Context = createContext<Holder | undefined>(undefined)

export interface TollgateProviderProps {
  /** `layer({ … })` of `@tollgate/browser/effect`. Make it once, outside components: another one ends the calls in flight. */
  readonly client: Layer.Layer<Client>
  readonly children?: ReactNode
}

/** Gives the hooks below it their client. */
export const TollgateProvider = ({ children, client }: TollgateProviderProps): ReactElement => {
  const holder = useMemo(() => makeHolder(client), [client])
  useEffect(() => holder.close, [holder])
  return createElement(Context, { value: holder }, children)
}

const useHolder = (): Holder => {
  const holder = useContext(Context)
  if (holder === undefined) throw new Error(missing)
  return holder
}

const usePromised = (f: AnyFunction) => {
  const holder = useHolder()
  return useMemo(() => holder.promised(f), [holder, f])
}

/** One call, made by a button: `useCall(rerank)`. */
export const useCall = <I, O, A, E>(
  operation: (input: I, options?: O) => Effect.Effect<A, E, Client>
): UseCall<I, O, A, E> => {
  const { call, resume } = usePromised(operation as never)
  return useCalling(call, resume)
}

/** A model's answer as it arrives: `useStream(chatCompletionsStream)`. */
export const useStream = <I, O, A extends object, E>(
  stream: (input: I, options?: O) => Stream.Stream<A, E, Client>
): UseStream<I, O, A, E> => useStreaming(usePromised(stream as never).call)

const timeOf = (time: Duration.Input | undefined): number | undefined =>
  time === undefined ? undefined : Duration.toMillis(time)

/**
 * The value of an effect that costs nothing: it loads when the component mounts, and again for another effect, so make the
 * effect with `useMemo` or outside components. While the gateway cannot be reached, it loads again every two seconds.
 */
export const useLoad = <A, E>(
  effect: Effect.Effect<A, E, Client>,
  { every, keep = false }: UseLoadOptions<A, Duration.Input> = {}
): UseLoad<A, E> => {
  const holder = useHolder()
  const load = useMemo(() => {
    const call: (input: undefined, options: object) => Promise<A> = holder.promised((() => effect) as never).call
    return (signal: AbortSignal) => call(undefined, { signal })
  }, [holder, effect])
  const millis = typeof every === "function" ? undefined : timeOf(every)
  const again = typeof every === "function" ? every : undefined
  const options = useMemo(
    () => ({ every: again === undefined ? millis : (value: A | undefined) => timeOf(again(value)), keep }),
    [millis, again, keep]
  )
  return useLoading<A, E>(load, options)
}

type TaskError = VideoCreateError | Stream.Error<ReturnType<typeof videoProgress>>

/** A video: created, and polled until it is there. */
export const useTask = (): UseTask<TaskError> => {
  const holder = useHolder()
  const client = useMemo(
    () => ({
      videoCreate: holder.promised(videoCreate as never).call,
      videoProgress: holder.promised(videoProgress as never).call
    }),
    [holder]
  )
  return useVideo(client)
}

export interface UseUsageOptions {
  /** Loads it again this long after the last time. Default: never. */
  readonly every?: Duration.Input | undefined
}

/**
 * What the credential used and was charged: `useUsage("7 days")` until now, or between two times in Unix seconds. It costs
 * nothing, so it loads when the component mounts.
 */
export const useUsage = (
  window: UsageInput | Duration.Input,
  { every }: UseUsageOptions = {}
): UseUsage<UsageError> => {
  const { call } = usePromised(usage as never)
  const isWindow = typeof window === "object" && "start_time" in window
  return useReport(call, isWindow ? window : Duration.toMillis(window), { every: timeOf(every) })
}
