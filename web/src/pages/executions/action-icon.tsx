import { Ban, RotateCcw } from "lucide-react";

export function ActionIcon({ action }: { action: "retry" | "cancel" }) {
  const Icon = action === "retry" ? RotateCcw : Ban;
  return <Icon aria-hidden className="size-3.5" />;
}
