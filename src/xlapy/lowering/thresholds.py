"""From which size on something pays, and up to which: what lowering decides by, for each backend.

They were measured on x86-64 with jaxlib 0.10; what else was noted stands beside the name. Measure again before you
change one: `python -m benchmarks kernels`. Sizes that follow from an interface, or from the registers of a processor,
are in the modules that depend on them.
"""

from __future__ import annotations

# -- loops that are differentiated -----------------------------------------------------------------------------------

#: elements of an array of which few are read in each iteration, and how many times as many it has
LARGE_READ_IN_PART, READ_IN_PART = 256, 16
#: iterations from which on the adjoint of a scan, which is compiled sooner, is not worth it
ITERATIONS_OF_SCAN = 16
#: bytes that the adjoint of a scan may keep; bytes carried in all iterations together, up to which nobody asks
BYTES_KEPT_BY_SCAN, BYTES_KEPT_UNASKED = 2**26, 2**14
#: elements of what all examples of a batch share, up to which each gets a copy, if only some make an iteration
ELEMENTS_COPIED_FOR_EXAMPLES = 256

# -- kernels, on any device ------------------------------------------------------------------------------------------

#: elements from which on floats are sorted as integers; from which on some are looked for without sorting, and how many
ELEMENTS_SORTED_BY_KEYS, ELEMENTS_SELECTED, PLACES_SELECTED = 256, 1 << 14, 8
#: elements of a vector that a network puts in order, and vectors from which on that pays
LENGTH_OF_NETWORK, VECTORS_OF_NETWORK = 16, 16
#: multiplications from which on half of a symmetric product is computed in blocks, and columns in a block at least
MULTIPLICATIONS_OF_SYMMETRIC, COLUMNS_OF_SYMMETRIC = 2**21, 24
#: elements searched at once for the largest one; up to which XLA calls no library for a maximum, which loses NaN
ELEMENTS_SEARCHED_AT_ONCE, ELEMENTS_OF_OWN_MAXIMUM = 1 << 15, 1 << 10
#: numbers from which on occurrences are counted in four parts, and counters up to which four of each are kept close by
NUMBERS_COUNTED_IN_PARTS, COUNTERS_IN_PARTS = 2048, 4096
#: lanes from which on an iteration of a compaction does several
LANES_COMPACTED_IN_TURN = 512
#: keys from which on it does not matter that they are stored before they are looked for
KEYS_STORED = 4096

# -- XLA for CPUs ----------------------------------------------------------------------------------------------------

#: elements of the largest array of a program that LLVM need not optimise much, and of one of which every element takes
#: tens of instructions (as fast in a loop up to these)
SMALL_PROGRAM, SMALL_PROGRAM_OF_SLOW = 2048, 256
#: how often an element has to be read for it to be stored, in how many places in all, and operations looked at
READ_TIMES, READ_PLACES, OPERATIONS_SPREAD = 4, 4096, 32
#: elements of each operand of a product of vectors from which on it is a sum
PRODUCT_AS_SUM = 2049
#: terms of a product that are written out, by the bytes of a number; results from which on; results next to one another
TERMS_WRITTEN_OUT, RESULTS_WRITTEN_OUT, RESULTS_IN_ROW = {4: 8, 8: 4}, 4096, 16
#: results up to which a product of a transpose and a vector stays as it is
RESULTS_OF_TRANSPOSE = 9
#: in a loop that is one native function: elements that an operation computes, and one of tens of instructions for each
NATIVE_ELEMENTS, NATIVE_SLOW_ELEMENTS = 4096, 256
#: there: elements reduced, multiplications in a product of matrices and in a batch of products of vectors; from some
#: more on (4096, 256 and 8192) XLA calls a library, which it cannot do in such a function
NATIVE_REDUCED, NATIVE_PRODUCTS, NATIVE_BATCHED = 2048, 125, 1024
#: there: operations in all, since the time to compile grows faster; elements of a vector that is no matter; that is
#: copied
NATIVE_OPERATIONS, NATIVE_VECTOR, NATIVE_COPIED = 2000, 128, 16
#: elements of a window of a max-pooling whose derivative is written out
WINDOW_UNPOOLED = 16
#: elements of a reduction below which XLA's own code is faster than the library
LENGTH_FOR_LIBRARY = 64
#: weights of a convolution along one dimension; of 6,000, XLA without its simplifier crashes
WEIGHTS_WITHOUT_SIMPLIFIER = 2048
#: arrays that are joined at once without native functions: the time to compile grows faster than their number
ARRAYS_JOINED = 8
#: numbers of which a sum is made at a time, and numbers from which on; elements from which on axes become one
SUM_OF_PART, SUM_IN_PARTS, AXES_JOINED = 256, 2049, 64
#: rows that an iteration of a loop adds, rows from which on there is one, and terms from which on a sum has parts
ROWS_ADDED, ROWS_IN_LOOP, TERMS_IN_PARTS = 8, 64, 8192
#: places of a parameter of which an element may be computed where it lies: of 5, XLA takes a half of the time that a
#: copy takes besides; of 12, 1.7 times as long
PLACES_READ_IN_MEMORY = 6

# -- machine code by LLVM --------------------------------------------------------------------------------------------

#: operations on single numbers that XLA takes long to compile; iterations of a loop for which vectors are not worth it
NUMBERS_FOR_XLA, ITERATIONS_FOR_XLA = 64, 64
#: lines of a program without loops, which is not worth much of LLVM's time
LINES_OPTIMISED = 1500
#: bytes that a program called with Python's objects may need besides its results, and the objects that it may have
BYTES_ON_STACK, OBJECTS_PER_CALL = 1 << 15, 64
#: bytes that an array made there may keep and not need
BYTES_KEPT = 1 << 12
#: bytes of a result that is made where XLA can take it over
BYTES_ALIGNED = 1 << 15
#: elements of a part of an array that is worth a loop, of an array for each of its parts, and parts of one
ELEMENTS_OF_PART, ELEMENTS_FOR_PART, PARTS_OF_ARRAY = 8, 64, 16
#: elements from which on functions are computed without calls
ELEMENTS_WITHOUT_CALLS = 8
#: elements of a constant that is written into the program
CONSTANT_WRITTEN = 512
#: parts of a sum, iterations of one whose number is not known, and elements from which on they are joined in parts
PARTS_OF_SUM, ITERATIONS_OF_PART, ELEMENTS_JOINED_IN_PARTS = 64, 1 << 12, 1 << 16
#: numbers in a row whose exchanges are written one by one; in a row that is put in order so; in all of these, and in
#: each of more outside of loops, where XLA has several put in order at a time
EXCHANGES_WRITTEN, ROW_EXCHANGED, ROWS_EXCHANGED, ROW_EXCHANGED_ONCE = 16, 256, 4096, 1024
#: numbers in a row from which on they are put in order digit by digit: of one row, or in a loop; of many
ROW_BY_DIGITS, ROW_BY_DIGITS_OF_MANY = 64, 1024
#: the same in a function that XLA calls
ROW_BY_DIGITS_CALLED = 256
#: numbers in a row for a network in such a function: of one that is alone, and of one of many
ROW_IN_NETWORK, ROW_IN_NETWORK_OF_MANY = 256, 1024
#: rows of a table that are looked at one by one; room for rows from which on there is an index
ROWS_LOOKED_AT, ROWS_INDEXED = 8, 33
#: rows and columns up to which LAPACK uses one thread: others wait for each other
ROWS_OF_ONE_THREAD = 400
#: multiplications from which on there is a library call: of two matrices, and of a matrix and a vector. What is smaller
#: may be in a native function of XLA's, which calls no library
PRODUCT_CALLED, PRODUCT_WITH_VECTOR_CALLED = 126, 4097
#: multiplications up to which that library uses one thread, and from which on several take part: of two matrices, and
#: of a matrix and a vector
PRODUCT_ALONE, PRODUCT_WITH_VECTOR_ALONE = 1 << 18, 9216
PRODUCT_SHARED, PRODUCT_WITH_VECTOR_SHARED = 1 << 19, 1 << 17
#: channels, and results times channels, from which on convolutions are computed with fewer multiplications
#: (`llvm.winograd`): measured, XLA takes 1.2 times as long there, and 2 to 4 times from four times as many on
CHANNELS_OF_WINOGRAD, WORK_OF_WINOGRAD = 16, 1 << 19
#: multiplications in a product without a library, and in one that reads each element of both operands once
PRODUCT_WRITTEN, PRODUCT_READ_ONCE = 1 << 14, 1 << 21
#: terms of the sums in a product of many small matrices, and multiplications in all of these
TERMS_OF_SMALL, PRODUCTS_OF_SMALL = 8, 1 << 23
#: rows up to which there is straight code for factors of a matrix, and numbers on the right side of a system
ROWS_IN_STRAIGHT_CODE, RIGHT_IN_STRAIGHT_CODE = 5, 40
#: elements of a matrix in whose columns the largest or smallest are looked for; from which on it is done in blocks
ELEMENTS_SEARCHED_IN_COLUMNS, ELEMENTS_SEARCHED_IN_BLOCKS = 256, 64
#: terms of a sum of float32 from which on it is made in float64: NumPy adds parts first, which is as exact
TERMS_ADDED_IN_DOUBLE = 256
#: columns from which on several are reduced at a time
COLUMNS_REDUCED_TOGETHER = 4
#: elements from which on vectors look for the largest or smallest
ELEMENTS_OF_MAXIMUM = 64
#: instructions from which on a loop is shared out to threads, and iterations for each thread
INSTRUCTIONS_SHARED, ITERATIONS_SHARED = 1 << 20, 4
#: elements of arrays that a loop is written three times for, so as not to copy them, and operations in it
ELEMENTS_SWAPPED, OPERATIONS_SWAPPED = 256, 200
#: elements behind an axis from which on running sums along it are computed for all of them at once, in vectors
ELEMENTS_RUNNING_TOGETHER = 8
#: bytes of an array below which it is not made where the result lies
BYTES_MADE_IN_RESULT = 1 << 9
#: bytes of one array that is made in the function, of all of them, and of those that the caller makes room for
ROOM_OF_ARRAY, ROOM_OF_ALL, ROOM_OUTSIDE = 1 << 15, 1 << 18, 1 << 28
#: elements below which all lies in the cache anyway, and of a row that are worth tiles
ELEMENTS_IN_CACHE, ROW_IN_TILES = 1 << 12, 8
#: instructions of a function, before LLVM's passes: of one with loops, and of one without, for which there are fewer
INSTRUCTIONS_WITH_LOOPS, INSTRUCTIONS_WITHOUT_LOOPS = 6000, 40_000

# -- kernels of NVIDIA's GPUs: by published figures, not measured ------------------------------------------------------

#: nanoseconds that a GPU takes to start a kernel, and one of its threads for an instruction
NANOSECONDS_OF_LAUNCH, NANOSECONDS_OF_INSTRUCTION = 3000.0, 1.5
#: threads of a grid whose size is not known, of one of its blocks, and of a kernel that is one block
THREADS_OF_GRID, THREADS_OF_GRID_BLOCK, THREADS_OF_BLOCK = 1 << 14, 64, 1024
#: iterations that the threads of a block make in the time of one, and instructions in the time that they wait for each
#: other
ITERATIONS_AT_ONCE_IN_BLOCK, INSTRUCTIONS_OF_BARRIER = 256, 20
#: iterations, and elements that are joined, from which on the threads of a block share them out
ITERATIONS_SHARED_IN_BLOCK, ELEMENTS_JOINED_IN_BLOCK = 8, 1 << 7
#: multiplications in a product of arrays that is a part of a kernel
PRODUCT_ON_GPU = 1 << 22
#: elements of a known array that XLA does not know within a loop
CONSTANT_IN_LOOP = 64
#: bytes of memory that each thread has: CUDA makes it for as many threads as can run at all
ROOM_OF_THREAD = 1 << 10
