// Processes that a sandbox leaves behind when it is ended: they have ended as well, but somebody has to ask for their status. The
// first process of many containers never does, and the kernel counts such processes against the limit of their user.
#pragma once

namespace tilelab::judge {

// While one lives, this process inherits orphans among its descendants. Its end waits for all of them, at most two seconds. Only for a
// main program whose other children have ended by then: it takes anybody's status.
class OrphanCare {
 public:
  OrphanCare();
  ~OrphanCare();
  OrphanCare(const OrphanCare&) = delete;
  OrphanCare& operator=(const OrphanCare&) = delete;
};

// Waits for those there are now, and for children that end within two seconds. No child may be at work. Does nothing without an
// OrphanCare.
void reap_orphans();

}  // namespace tilelab::judge
