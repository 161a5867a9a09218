export type { ResumeToken } from "../options/CallOptions.ts"
export { resumable, resumeStream } from "./resumable.ts"
