export type { ResumeToken } from "../options/Resumable.ts"
export { resumable, resumeStream } from "./resumable.ts"
