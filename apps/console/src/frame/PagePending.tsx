import { Skeleton } from "../ui/Skeleton.tsx"

export const PagePending = () => (
  <div aria-busy="true">
    <Skeleton lines={1} tall />
    <Skeleton lines={6} />
  </div>
)
