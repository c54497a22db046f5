"""All processors of a machine for one loop, whose iterations do not depend on each other.

The thread that runs a program shares out the iterations of a loop, some at a time; threads that wait for such work take
their part of it. It takes part itself, so nothing is lost where the others are busy, and waits for what was taken.
There is one pool in a process, and one loop at a time: a thread that finds the pool at work makes its iterations alone,
and so does a process that was forked.

What waits looks for work for a few microseconds, and sleeps then: the loops of one program follow each other closely.
A thread that the system wakes on the processor of the one that shares out, as Linux does where others have work for
all the rest, would only keep that one waiting: it goes to another one, and stays away from there. And who waits for
others sleeps, too, after some microseconds, so that they get its processor.
"""

from __future__ import annotations

import functools
import os
import platform
import sys

from xlapy.lowering.llvm.engine import compiled, object_file_of, outside
from xlapy.machine_code import images, thread_pools
from xlapy.machine_code.thread_pools import ThreadPool

#: threads besides the one that runs a program
_MOST = 63
#: looks at whether there is work, and whether others are done, before a thread sleeps
_LOOKS, _LOOKS_AT_END = 3000, 1000
#: what a processor does between two looks
_PAUSE_X86 = ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()")
_PAUSE_ARM = ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)")
_PAUSES = {"x86_64": _PAUSE_X86, "AMD64": _PAUSE_X86, "arm64": _PAUSE_ARM, "aarch64": _PAUSE_ARM}
#: how floats are rounded, and whether the smallest are zero: how a thread keeps that in `@floats`, and how another one
#: takes it from there
_FLOATS_X86 = (
    "declare void @llvm.x86.sse.stmxcsr(ptr)\ndeclare void @llvm.x86.sse.ldmxcsr(ptr)",
    "call void @llvm.x86.sse.stmxcsr(ptr @floats)",
    "call void @llvm.x86.sse.ldmxcsr(ptr @floats)",
)
_FLOATS_ARM = (
    "declare i64 @llvm.aarch64.get.fpcr()\ndeclare void @llvm.aarch64.set.fpcr(i64)",
    "%kept = call i64 @llvm.aarch64.get.fpcr()\n  store i64 %kept, ptr @floats",
    "%floats = load i64, ptr @floats\n  call void @llvm.aarch64.set.fpcr(i64 %floats)",
)
_FLOATS = {"x86_64": _FLOATS_X86, "AMD64": _FLOATS_X86, "arm64": _FLOATS_ARM, "aarch64": _FLOATS_ARM}

#: how a thread moves to another processor than the one that shares out is on, if it can: where it may run at all lies
#: in `%all`, bits of 1024 processors
_PLACES_LINUX = """
declare i32 @sched_getcpu()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)

define internal i32 @place() {
  %place = call i32 @sched_getcpu()
  ret i32 %place
}

define internal void @remember(ptr %all) {
  %bad = call i32 @sched_getaffinity(i32 0, i64 128, ptr %all)
  ret void
}

define internal i1 @apart(ptr %all) {
entry:
  %here = call i32 @sched_getcpu()
  %there = load atomic i32, ptr @processor seq_cst, align 4
  %same = icmp eq i32 %here, %there
  %known = icmp ult i32 %here, 1024
  %move = and i1 %same, %known
  br i1 %move, label %begin, label %stay
stay:
  %differs = xor i1 %same, true
  ret i1 %differs
begin:
  %mask = alloca [16 x i64], align 64
  %wide = zext i32 %here to i64
  %word = lshr i64 %wide, 6
  %bit = and i64 %wide, 63
  br label %copy
copy:
  %k = phi i64 [0, %begin], [%next, %copy]
  %any = phi i64 [0, %begin], [%some, %copy]
  %from = getelementptr i64, ptr %all, i64 %k
  %old = load i64, ptr %from
  %is = icmp eq i64 %k, %word
  %one = zext i1 %is to i64
  %taken = shl i64 %one, %bit
  %others = xor i64 %taken, -1
  %new = and i64 %old, %others
  %to = getelementptr i64, ptr %mask, i64 %k
  store i64 %new, ptr %to
  %some = or i64 %any, %new
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %copy, label %try
try:
  %possible = icmp ne i64 %some, 0
  br i1 %possible, label %go, label %no
go:
  %bad = call i32 @sched_setaffinity(i32 0, i64 128, ptr %mask)
  %moved = icmp eq i32 %bad, 0
  ret i1 %moved
no:
  ret i1 false
}
"""
_PLACES_UNKNOWN = """
define internal i32 @place() {
  ret i32 -1
}

define internal void @remember(ptr %all) {
  ret void
}

define internal i1 @apart(ptr %all) {
  ret i1 true
}
"""

#: How many iterations there are (`count`), of a function of a context, the first iteration and the end, so many at a
#: time (`chunk`). Each thread has `each` of these parts, the same ones in each loop, since what it wrote is still near
#: to it; some are `taken`. When it is done it takes what others have left. Whether there are any (`open`), and of which
#: loop (`loop`). How many threads may be looking at that (`inside`), how many sleep, whether the pool is at work
#: (`busy`), where the thread is that shares out (`processor`), and whether it sleeps until the others are done
#: (`waiting`). A thread says that it is inside before it looks whether the loop is open, and the one that shares out
#: closes the loop before it looks who is inside: so one of them sees the other; it is the same with who is inside and
#: who waits. All compute with floats as the thread does that shares out: XLA's flush the smallest ones to zero.
_TEXT = """
@function = internal global ptr null, align 64
@context = internal global ptr null
@count = internal global i64 0
@chunk = internal global i64 0
@threads = internal global i64 1
@floats = internal global i64 0
@each = internal global i64 0
@taken = internal global [64 x [8 x i64]] zeroinitializer, align 64
@open = internal global i64 0, align 64
@loop = internal global i64 0, align 64
@inside = internal global i64 0, align 64
@sleeping = internal global i64 0, align 64
@busy = internal global i64 0, align 64
@processor = internal global i32 -1, align 64
@waiting = internal global i64 0, align 64
@done = internal global [128 x i8] zeroinitializer, align 64
@mutex = internal global [128 x i8] zeroinitializer, align 64
@condition = internal global [128 x i8] zeroinitializer, align 64
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
{DECLARED}

define internal void @take(i64 %me) {
entry:
  %function = load ptr, ptr @function
  %context = load ptr, ptr @context
  %count = load i64, ptr @count
  %chunk = load i64, ptr @chunk
  %threads = load i64, ptr @threads
  %share = load i64, ptr @each
  br label %turn
turn:
  %turns = phi i64 [0, %entry], [%turned, %next]
  %some = add i64 %me, %turns
  %whose = urem i64 %some, %threads
  %at = getelementptr [8 x i64], ptr @taken, i64 %whose
  %start = mul i64 %whose, %share
  br label %another
another:
  %k = atomicrmw add ptr %at, i64 1 seq_cst
  %theirs = icmp slt i64 %k, %share
  %place = add i64 %start, %k
  %first = mul i64 %place, %chunk
  %there = icmp slt i64 %first, %count
  %any = and i1 %theirs, %there
  br i1 %any, label %run, label %next
run:
  %after = add i64 %first, %chunk
  %fits = icmp slt i64 %after, %count
  %end = select i1 %fits, i64 %after, i64 %count
  call void %function(ptr %context, i64 %first, i64 %end)
  br label %another
next:
  %turned = add i64 %turns, 1
  %more = icmp slt i64 %turned, %threads
  br i1 %more, label %turn, label %done
done:
  ret void
}

define void @share(ptr %function, ptr %context, i64 %count, i64 %chunk) {
entry:
  %old = cmpxchg ptr @busy, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue {i64, i1} %old, 1
  br i1 %mine, label %begin, label %alone
alone:
  call void %function(ptr %context, i64 0, i64 %count)
  ret void
begin:
  {KEEP}
  store ptr %function, ptr @function
  store ptr %context, ptr @context
  store i64 %count, ptr @count
  store i64 %chunk, ptr @chunk
  %processor = call i32 @place()
  store atomic i32 %processor, ptr @processor seq_cst, align 4
  %threads = load i64, ptr @threads
  %rounded = add i64 %count, %chunk
  %less = sub i64 %rounded, 1
  %chunks = sdiv i64 %less, %chunk
  %up = add i64 %chunks, %threads
  %one.less = sub i64 %up, 1
  %each = sdiv i64 %one.less, %threads
  store i64 %each, ptr @each
  br label %clear
clear:
  %k = phi i64 [0, %begin], [%k.next, %clear]
  %at = getelementptr [8 x i64], ptr @taken, i64 %k
  store atomic i64 0, ptr %at seq_cst, align 8
  %k.next = add i64 %k, 1
  %k.more = icmp slt i64 %k.next, %threads
  br i1 %k.more, label %clear, label %announce
announce:
  store atomic i64 1, ptr @open seq_cst, align 8
  %loop = atomicrmw add ptr @loop, i64 1 seq_cst
  %sleepers = load atomic i64, ptr @sleeping seq_cst, align 8
  %any = icmp ne i64 %sleepers, 0
  br i1 %any, label %wake, label %run
wake:
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  %woken = call i32 @pthread_cond_broadcast(ptr @condition)
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %run
run:
  call void @take(i64 0)
  store atomic i64 0, ptr @open seq_cst, align 8
  br label %wait
wait:
  %looks = phi i64 [0, %run], [%looked, %look]
  %inside = load atomic i64, ptr @inside seq_cst, align 8
  %none = icmp eq i64 %inside, 0
  br i1 %none, label %done, label %look
look:
  {PAUSE}
  %looked = add i64 %looks, 1
  %long = icmp eq i64 %looked, {LOOKS_AT_END}
  br i1 %long, label %sleep, label %wait
sleep:
  %a = call i32 @pthread_mutex_lock(ptr @mutex)
  store atomic i64 1, ptr @waiting seq_cst, align 8
  br label %check
check:
  %still = load atomic i64, ptr @inside seq_cst, align 8
  %left = icmp eq i64 %still, 0
  br i1 %left, label %awake, label %asleep
asleep:
  %b = call i32 @pthread_cond_wait(ptr @done, ptr @mutex)
  br label %check
awake:
  store atomic i64 0, ptr @waiting seq_cst, align 8
  %c = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %done
done:
  store atomic i64 0, ptr @busy seq_cst, align 8
  ret void
}

define ptr @work(ptr %number) {
entry:
  %me = ptrtoint ptr %number to i64
  %all = alloca [16 x i64], align 64
  call void @llvm.memset.p0.i64(ptr %all, i8 0, i64 128, i1 false)
  call void @remember(ptr %all)
  br label %again
again:
  %known = phi i64 [0, %entry], [%newest, %free]
  br label %look
look:
  %looks = phi i64 [0, %again], [%looked, %pause]
  %loop = load atomic i64, ptr @loop seq_cst, align 8
  %is = icmp ne i64 %loop, %known
  br i1 %is, label %in, label %pause
pause:
  {PAUSE}
  %looked = add i64 %looks, 1
  %long = icmp eq i64 %looked, {LOOKS}
  br i1 %long, label %sleep, label %look
sleep:
  %seen = phi i64 [%known, %pause], [%then, %meet]
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  %before = atomicrmw add ptr @sleeping, i64 1 seq_cst
  br label %check
check:
  %then = load atomic i64, ptr @loop seq_cst, align 8
  %now = icmp ne i64 %then, %seen
  br i1 %now, label %awake, label %asleep
asleep:
  %waited = call i32 @pthread_cond_wait(ptr @condition, ptr @mutex)
  br label %check
awake:
  %after = atomicrmw sub ptr @sleeping, i64 1 seq_cst
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %meet
meet:
  %apart = call i1 @apart(ptr %all)
  br i1 %apart, label %in, label %sleep
in:
  %newest = phi i64 [%loop, %look], [%then, %meet]
  %entered = atomicrmw add ptr @inside, i64 1 seq_cst
  %open = load atomic i64, ptr @open seq_cst, align 8
  %any = icmp ne i64 %open, 0
  br i1 %any, label %take, label %out
take:
  {FLOATS}
  call void @take(i64 %me)
  br label %out
out:
  %left = atomicrmw sub ptr @inside, i64 1 seq_cst
  %waiting = load atomic i64, ptr @waiting seq_cst, align 8
  %waits = icmp ne i64 %waiting, 0
  br i1 %waits, label %tell, label %free
tell:
  %d = call i32 @pthread_mutex_lock(ptr @mutex)
  %e = call i32 @pthread_cond_broadcast(ptr @done)
  %f = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %free
free:
  br label %again
}

define i64 @members() {
  %threads = load i64, ptr @threads
  ret i64 %threads
}

define void @begin(i64 %threads) {
entry:
  %thread = alloca i64
  %a = call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  %b = call i32 @pthread_cond_init(ptr @condition, ptr null)
  %d = call i32 @pthread_cond_init(ptr @done, ptr null)
  store i64 0, ptr @waiting
  store i64 0, ptr @open
  store i64 0, ptr @inside
  store i64 0, ptr @sleeping
  store i64 0, ptr @busy
  %members = add i64 %threads, 1
  store i64 %members, ptr @threads
  br label %more
more:
  %k = phi i64 [0, %entry], [%following, %start]
  %any = icmp slt i64 %k, %threads
  br i1 %any, label %start, label %done
start:
  %following = add i64 %k, 1
  %number = inttoptr i64 %following to ptr
  %c = call i32 @pthread_create(ptr %thread, ptr null, ptr @work, ptr %number)
  br label %more
done:
  ret void
}
"""


def processors() -> int:
    """How many processors a loop may use: those that the process may run on, or as many as `OMP_NUM_THREADS` says."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    try:
        found = len(os.sched_getaffinity(0))
    except AttributeError:
        found = os.cpu_count() or 1
    return max(int(asked), 1) if asked.isdigit() else found


@functools.cache
def thread_pool() -> ThreadPool | None:
    """The threads of this process; None if there is one processor."""
    threads = min(processors() - 1, _MOST)
    if threads < 1 or sys.platform == "win32":
        return None
    found = thread_pools.started()
    if found is not None:
        return _named(found.pool)
    declared, pause = _PAUSES.get(platform.machine(), ("", ""))
    of_floats, keep, take = _FLOATS.get(platform.machine(), ("", "", ""))
    places = _PLACES_LINUX if sys.platform == "linux" else _PLACES_UNKNOWN
    text = _TEXT.replace("{DECLARED}", "\n".join((declared, of_floats, places))).replace("{PAUSE}", pause)
    text = text.replace("{KEEP}", keep).replace("{FLOATS}", take)
    engine = compiled(text.replace("{LOOKS_AT_END}", str(_LOOKS_AT_END)).replace("{LOOKS}", str(_LOOKS)))
    try:
        image = images.image_of(object_file_of(engine))
    except images.UnknownFormat:
        image = None
    return _named(thread_pools.start(engine.get_function_address, threads, image, engine).pool)


def _named(pool: ThreadPool) -> ThreadPool:
    outside(thread_pools.SHARE, pool.share)
    return pool


__all__ = ["ThreadPool", "processors", "thread_pool"]
