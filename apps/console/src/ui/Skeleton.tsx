export interface SkeletonProps {
  readonly lines?: number
  /** As high as a figure instead of a line of text. */
  readonly tall?: boolean
}

/** Stands where something will be, in its size, so that nothing jumps. */
export const Skeleton = ({ lines = 3, tall = false }: SkeletonProps) => (
  <div className={tall ? "skeleton tall" : "skeleton"} aria-hidden="true">
    {Array.from({ length: lines }, (_, i) => (
      <span key={i} />
    ))}
  </div>
)
